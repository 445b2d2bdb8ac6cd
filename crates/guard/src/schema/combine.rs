//! Checking what is made of other forms: alternatives, objects and arrays.

use std::collections::HashSet;

use interlingua_wire::{Json, Node, Text};

use super::check::{BYTES_PER_STEP, Checker, Held, Truth};
use super::form::{At, Count, Fields, Types};
use super::say::{Flaw, LONGEST_VALUE, Step, shortened};
use crate::canonical::{self, Numbers};

impl Checker<'_> {
    pub(super) fn any(&mut self, any: &[At], value: Node<'_>, say: bool) -> Held {
        let mut held = Truth::No;
        for at in any {
            match self.form(*at, value, false)? {
                Truth::Yes => return Ok(Truth::Yes),
                Truth::Unknown => held = Truth::Unknown,
                Truth::No => {}
            }
        }
        if held == Truth::No && say {
            self.none_fits(any, value)?;
        }
        Ok(held)
    }

    pub(super) fn exactly_one(&mut self, any: &[At], value: Node<'_>, say: bool) -> Held {
        let (mut fits, mut unknown) = (0, false);
        for at in any {
            match self.form(*at, value, false)? {
                Truth::Yes => fits += 1,
                Truth::Unknown => unknown = true,
                Truth::No => {}
            }
        }
        match fits {
            0 | 1 if unknown => Ok(Truth::Unknown),
            1 => Ok(Truth::Yes),
            0 => {
                if say {
                    self.none_fits(any, value)?;
                }
                Ok(Truth::No)
            }
            _ => Ok(self.no(say, Flaw::Value, value, |it| {
                format!("{it} fits {fits} of its alternatives, and may fit only one")
            })),
        }
    }

    /// Where only one alternative is of the value's type, what is wrong is what is wrong with that.
    fn none_fits(&mut self, any: &[At], value: Node<'_>) -> Result<(), super::Beyond> {
        let types = Types::of(value);
        let mut meant = any.iter().filter(|at| self.types(**at).admits(types));
        if let (Some(at), None) = (meant.next(), meant.next()) {
            self.form(*at, value, true)?;
            return Ok(());
        }
        let each = any.iter().map(|at| self.types(*at));
        let simple = each.clone().all(|types| !types.is_any());
        let wanted = each.fold(Types::default(), Types::with);
        if simple && !wanted.admits(types) {
            let (wanted, is) = (wanted.said(), types.said());
            self.say(Flaw::Type, value, |it| format!("{it} must be {wanted}, but is {is}"));
        } else {
            let count = any.len();
            self.say(Flaw::Value, value, |it| {
                format!("{it} fits none of the {count} forms that it may have")
            });
        }
        Ok(())
    }

    pub(super) fn not(&mut self, at: At, value: Node<'_>, say: bool) -> Held {
        Ok(match self.form(at, value, false)? {
            Truth::No => Truth::Yes,
            Truth::Unknown => Truth::Unknown,
            Truth::Yes => self.no(say, Flaw::Value, value, |it| {
                format!("{it} is of a form that it may not have")
            }),
        })
    }

    pub(super) fn conditional(
        &mut self,
        (asks, then, otherwise): (At, Option<At>, Option<At>),
        value: Node<'_>,
        say: bool,
    ) -> Held {
        let next = match self.form(asks, value, false)? {
            Truth::Yes => then,
            Truth::No => otherwise,
            Truth::Unknown => return Ok(Truth::Unknown),
        };
        next.map_or(Ok(Truth::Yes), |at| self.form(at, value, say))
    }

    pub(super) fn required(&mut self, names: &[String], value: Node<'_>, say: bool) -> Held {
        if !value.is_object() {
            return Ok(Truth::Yes);
        }
        let mut held = Truth::Yes;
        for name in names {
            self.spend(1 + value.len() / FIELDS_PER_STEP)?;
            if value.get(name).is_some() {
                continue;
            }
            held = Truth::No;
            if !say {
                break;
            }
            self.path.push(Step::Field(name.clone()));
            self.say(Flaw::Missing, value, |it| format!("{it} is required, but missing"));
            self.path.pop();
        }
        Ok(held)
    }

    pub(super) fn dependent(
        &mut self,
        all: &[(String, Vec<String>)],
        value: Node<'_>,
        say: bool,
    ) -> Held {
        let mut held = Truth::Yes;
        for (name, wanted) in all {
            self.spend(1 + value.len() / FIELDS_PER_STEP)?;
            if value.get(name).is_some() {
                held = held.and(self.required(wanted, value, say)?);
            }
        }
        Ok(held)
    }

    pub(super) fn dependent_forms(
        &mut self,
        all: &[(String, At)],
        value: Node<'_>,
        say: bool,
    ) -> Held {
        let mut held = Truth::Yes;
        for (name, form) in all {
            self.spend(1 + value.len() / FIELDS_PER_STEP)?;
            if value.get(name).is_some() {
                held = held.and(self.form(*form, value, say)?);
            }
        }
        Ok(held)
    }

    pub(super) fn fields(&mut self, fields: &Fields, value: Node<'_>, say: bool) -> Held {
        // Which of two fields of one name counts is the reader's choice.
        if value.repeated_key().is_some() {
            return Ok(Truth::Unknown);
        }
        let mut held = Truth::Yes;
        for field in value.fields() {
            self.spend(1 + fields.patterns.len() * (1 + field.key_len()))?;
            let name = field.name();
            if say {
                self.path.push(Step::Field(name.to_string()));
            }
            let found = fields.named.binary_search_by(|(known, _)| known.as_str().cmp(&*name));
            let mut known = found.is_ok();
            if let Ok(at) = found {
                held = held.and(self.form(fields.named[at].1, field.value, say)?);
            }
            for (pattern, form) in &fields.patterns {
                match pattern.is_in(&name) {
                    Some(false) => {}
                    Some(true) => {
                        known = true;
                        held = held.and(self.form(*form, field.value, say)?);
                    }
                    None => {
                        known = true;
                        held = held.and(Truth::Unknown);
                    }
                }
            }
            if let Some(others) = fields.others.filter(|_| !known) {
                held = held.and(if fields.closed {
                    self.no(say, Flaw::Extra, field.value, |it| format!("{it} does not exist"))
                } else {
                    self.form(others, field.value, say)?
                });
            }
            if say {
                self.path.pop();
            } else if held == Truth::No {
                break;
            }
        }
        Ok(held)
    }

    pub(super) fn field_names(&mut self, form: At, value: Node<'_>, say: bool) -> Held {
        let mut held = Truth::Yes;
        for field in value.fields() {
            self.spend(1 + field.key_len() / BYTES_PER_STEP)?;
            let name = Json::string(&Text::new(&field.name())).doc();
            let fits = self.form(form, name.root(), false)?;
            held = held.and(fits);
            if fits == Truth::No {
                self.no(say, Flaw::Extra, value, |it| {
                    let name = shortened(&field.name(), LONGEST_VALUE);
                    format!("{it} may not have a field named '{name}'")
                });
            }
        }
        Ok(held)
    }

    pub(super) fn items(
        &mut self,
        first: &[At],
        rest: Option<At>,
        value: Node<'_>,
        say: bool,
    ) -> Held {
        let mut held = Truth::Yes;
        for (at, item) in value.items().enumerate() {
            let Some(form) = first.get(at).copied().or(rest) else { break };
            if say {
                self.path.push(Step::Item(at));
            }
            held = held.and(self.form(form, item, say)?);
            if say {
                self.path.pop();
            } else if held == Truth::No {
                break;
            }
        }
        Ok(held)
    }

    pub(super) fn contains(&mut self, form: At, count: Count, value: Node<'_>, say: bool) -> Held {
        let (mut fits, mut unknown) = (0, false);
        for item in value.items() {
            match self.form(form, item, false)? {
                Truth::Yes => fits += 1,
                Truth::Unknown => unknown = true,
                Truth::No => {}
            }
        }
        if unknown {
            return Ok(Truth::Unknown);
        }
        Ok(self.counted(count, fits, "items of a certain form", value, say))
    }

    pub(super) fn unique(&mut self, value: Node<'_>, say: bool) -> Held {
        self.spend(value.raw().len() / BYTES_PER_STEP)?;
        let mut seen = HashSet::new();
        for item in value.items() {
            self.spend(1)?;
            if !seen.insert(canonical::spelled(item, Numbers::Exact)) {
                return Ok(self.no(say, Flaw::Value, value, |it| {
                    let item = shortened(item.raw(), LONGEST_VALUE);
                    format!("{it} may not hold an item twice: {item}")
                }));
            }
        }
        Ok(Truth::Yes)
    }
}

const FIELDS_PER_STEP: usize = 4;
