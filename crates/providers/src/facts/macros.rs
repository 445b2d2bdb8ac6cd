//! Defines structs and enums of facts, together with their conversions.

/// Defines structs whose fields are facts. `named` lists values that have a word of their own.
macro_rules! facts {
    ($(
        $(#[$meta:meta])*
        pub struct $Name:ident {
            $( $(#[doc = $doc:literal])* pub $field:ident : $Type:ty, )*
        }
        $( named { $( $word:literal => $value:expr ),* $(,)? } )?
    )*) => {$(
        $(#[$meta])*
        pub struct $Name {
            $( $(#[doc = $doc])* pub $field: $Type, )*
        }

        impl $Name {
            const KEYS: &'static [&'static str] = &[$(stringify!($field)),*];

            fn list_fields(&self) -> $crate::facts::FactNode {
                $crate::facts::FactNode::table([
                    $((stringify!($field), $crate::facts::Fact::to_node(&self.$field))),*
                ])
            }
        }

        impl $crate::facts::Fact for $Name {
            fn expected() -> String {
                let words: &[&str] = &[$( $( concat!("\"", $word, "\" or ") ),* )?];
                format!("{}a table with {}", words.concat(), Self::KEYS.join(", "))
            }

            fn keys() -> Vec<$crate::facts::KeyDescription> {
                vec![$($crate::facts::KeyDescription {
                    name: stringify!($field),
                    doc: concat!($($doc),*),
                    expected: <$Type as $crate::facts::Fact>::expected,
                    keys: <$Type as $crate::facts::Fact>::keys,
                }),*]
            }

            fn to_node(&self) -> $crate::facts::FactNode {
                let table = self.list_fields();
                $( $(
                    let named: Self = $value;
                    if named.list_fields() == table {
                        return $crate::facts::FactNode::text($word);
                    }
                )* )?
                table
            }

            fn from_node(
                node: &$crate::facts::FactNode,
                errors: &mut $crate::facts::FactErrors,
            ) -> Option<Self> {
                $( $(
                    if node.as_text() == Some($word) {
                        return Some($value);
                    }
                )* )?
                let Some(entries) = node.entries() else { return errors.expected::<Self>(node) };
                $crate::facts::check_keys(entries, Self::KEYS, errors);
                $(let $field: Option<$Type> = $crate::facts::required_key(
                    node.offset, entries, stringify!($field), errors,
                );)*
                Some(Self { $($field: $field?),* })
            }

            fn patch(
                &mut self,
                node: &$crate::facts::FactNode,
                errors: &mut $crate::facts::FactErrors,
            ) {
                let Some(entries) = node.entries() else {
                    if let Some(value) = Self::from_node(node, errors) {
                        *self = value;
                    }
                    return;
                };
                $crate::facts::check_keys(entries, Self::KEYS, errors);
                $(
                    for entry in entries.iter().filter(|entry| entry.key.name == stringify!($field)) {
                        errors.within(stringify!($field), |errors| {
                            $crate::facts::Fact::patch(&mut self.$field, &entry.node, errors);
                        });
                    }
                )*
            }
        }
    )*};
}

/// Defines enums whose variants are words. A variant with values is a table with its word as the only
/// key.
macro_rules! words {
    ($(
        $(#[$meta:meta])*
        pub enum $Name:ident {
            $(
                $(#[doc = $doc:literal])*
                $Variant:ident
                $( ( $Value:ty ) )?
                $( { $( $(#[doc = $field_doc:literal])* $field:ident : $Type:ty ),* $(,)? } )?
            ),* $(,)?
        }
    )*) => {$(
        $(#[$meta])*
        pub enum $Name {
            $(
                $(#[doc = $doc])*
                $Variant $( ( $Value ) )? $( { $( $(#[doc = $field_doc])* $field: $Type ),* } )?
            ),*
        }

        impl $crate::facts::Fact for $Name {
            fn expected() -> String {
                let mut words = Vec::new();
                $( $crate::facts::words!(
                    @expected words $Variant $( ( $Value ) )? $( { $($field),* } )?
                ); )*
                words.join(", ")
            }

            fn to_node(&self) -> $crate::facts::FactNode {
                match self {
                    $( $crate::facts::words!(
                        @pattern value $Name $Variant $( ( $Value ) )? $( { $($field),* } )?
                    ) => $crate::facts::words!(
                        @to value $Variant $( ( $Value ) )? $( { $($field),* } )?
                    ), )*
                }
            }

            fn from_node(
                node: &$crate::facts::FactNode,
                errors: &mut $crate::facts::FactErrors,
            ) -> Option<Self> {
                let (word, inner) = $crate::facts::word_and_value(node);
                $(
                    if word == $crate::facts::kebab_case(stringify!($Variant)) {
                        $crate::facts::words!(
                            @from node inner errors $Name $Variant
                            $( ( $Value ) )? $( { $($field : $Type),* } )?
                        );
                    }
                )*
                let known = vec![$($crate::facts::kebab_case(stringify!($Variant))),*];
                errors.unknown_word::<Self>(node, word, known)
            }
        }
    )*};

    (@expected $words:ident $Variant:ident) => {
        $words.push(format!("{:?}", $crate::facts::kebab_case(stringify!($Variant))));
    };
    (@expected $words:ident $Variant:ident ( $Value:ty )) => {
        $words.push(format!("{{ {} = … }}", $crate::facts::kebab_case(stringify!($Variant))));
    };
    (@expected $words:ident $Variant:ident { $($field:ident),* }) => {
        $words.push(format!(
            "{{ {} = {{ {} }} }}",
            $crate::facts::kebab_case(stringify!($Variant)),
            [$(concat!(stringify!($field), " = …")),*].join(", "),
        ));
    };

    // `value` is passed because an identifier of one expansion is another one in the next.
    (@pattern $value:ident $Name:ident $Variant:ident) => { $Name::$Variant };
    (@pattern $value:ident $Name:ident $Variant:ident ( $Value:ty )) => { $Name::$Variant($value) };
    (@pattern $value:ident $Name:ident $Variant:ident { $($field:ident),* }) => {
        $Name::$Variant { $($field),* }
    };

    (@to $value:ident $Variant:ident) => {
        $crate::facts::FactNode::text(&$crate::facts::kebab_case(stringify!($Variant)))
    };
    (@to $value:ident $Variant:ident ( $Value:ty )) => {
        $crate::facts::FactNode::entry(
            &$crate::facts::kebab_case(stringify!($Variant)),
            $crate::facts::Fact::to_node($value),
        )
    };
    (@to $value:ident $Variant:ident { $($field:ident),* }) => {
        $crate::facts::FactNode::entry(
            &$crate::facts::kebab_case(stringify!($Variant)),
            $crate::facts::FactNode::table([
                $((stringify!($field), $crate::facts::Fact::to_node($field))),*
            ]),
        )
    };

    (@from $node:ident $inner:ident $errors:ident $Name:ident $Variant:ident) => {
        return match $inner {
            None => Some($Name::$Variant),
            Some(_) => $errors.expected::<Self>($node),
        };
    };
    (@from $node:ident $inner:ident $errors:ident $Name:ident $Variant:ident ( $Value:ty )) => {
        let Some(inner) = $inner else { return $errors.expected::<Self>($node) };
        return $crate::facts::Fact::from_node(inner, $errors).map($Name::$Variant);
    };
    (
        @from $node:ident $inner:ident $errors:ident $Name:ident $Variant:ident
        { $($field:ident : $Type:ty),* }
    ) => {
        let Some(entries) = $inner.and_then($crate::facts::FactNode::entries) else {
            return $errors.expected::<Self>($node);
        };
        $crate::facts::check_keys(entries, &[$(stringify!($field)),*], $errors);
        $(let $field: Option<$Type> = $crate::facts::required_key(
            $node.offset, entries, stringify!($field), $errors,
        );)*
        return Some($Name::$Variant { $($field: $field?),* });
    };
}

/// The words of enums that other crates define.
macro_rules! foreign_words {
    ($( $Name:ident { $($Variant:ident),* } )*) => {$(
        impl Fact for $Name {
            fn expected() -> String {
                [$(format!("{:?}", super::kebab_case(stringify!($Variant)))),*].join(", ")
            }

            fn to_node(&self) -> FactNode {
                FactNode::text(&match self {
                    $( Self::$Variant => super::kebab_case(stringify!($Variant)), )*
                })
            }

            fn from_node(node: &FactNode, errors: &mut FactErrors) -> Option<Self> {
                let word = node.as_text().unwrap_or_default();
                $(
                    if word == super::kebab_case(stringify!($Variant)) {
                        return Some(Self::$Variant);
                    }
                )*
                let known = vec![$(super::kebab_case(stringify!($Variant))),*];
                errors.unknown_word::<Self>(node, word, known)
            }
        }
    )*};
}

pub(crate) use {facts, foreign_words, words};
