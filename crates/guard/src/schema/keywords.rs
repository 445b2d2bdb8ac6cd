//! The keywords of JSON Schema, read. Those that only describe are passed over.

use interlingua_wire::Node;

use super::Beyond;
use super::compile::Compiler;
use super::decimal::Decimal;
use super::form::{Check, Count, Fields, Form, Types};
use super::say::shown_list;
use crate::canonical::{self, Numbers};

pub(super) fn form<'d>(compiler: &mut Compiler<'d>, node: Node<'d>) -> Result<Form, Beyond> {
    let mut form = Form::default();
    if let Some(reference) = node.get("$ref").filter(|node| node.is_string()) {
        let to = compiler.reference(&reference.word())?;
        form.checks.push(to.map_or(Check::Unknown, Check::Refer));
        if compiler.lone_references {
            return Ok(form);
        }
    }
    let nullable = node.get("nullable").and_then(Node::boolean) == Some(true);
    form.types = types(node, nullable);
    let checks = &mut form.checks;
    values(compiler, node, nullable, checks)?;
    combinations(compiler, node, checks)?;
    objects(compiler, node, checks)?;
    arrays(compiler, node, checks)?;
    scalars(compiler, node, checks)?;
    if UNKNOWN.iter().any(|key| node.get(key).is_some()) {
        checks.push(Check::Unknown);
    }
    Ok(form)
}

/// Type names that nobody knows constrain nothing.
fn types(node: Node<'_>, nullable: bool) -> Types {
    let Some(written) = node.get("type") else { return Types::default() };
    let one = |node: Node<'_>| Types::named(&node.word());
    let types = if written.is_string() {
        one(written)
    } else {
        let named: Option<Vec<Types>> = written.items().map(one).collect();
        named.map(|all| all.into_iter().fold(Types::default(), Types::with))
    };
    match types {
        Some(types) if nullable && !types.is_any() => types.with(Types::NULL),
        types => types.unwrap_or_default(),
    }
}

fn values(
    compiler: &mut Compiler<'_>,
    node: Node<'_>,
    nullable: bool,
    checks: &mut Vec<Check>,
) -> Result<(), Beyond> {
    let listed = node.get("enum").filter(|node| node.is_array());
    for (list, single) in [(listed, None), (None, node.get("const"))] {
        let all: Vec<Node<'_>> = list.into_iter().flat_map(Node::items).chain(single).collect();
        if list.is_none() && single.is_none() {
            continue;
        }
        compiler.spend(all.len() + all.iter().map(|one| one.raw().len()).sum::<usize>() / 64)?;
        let spell = |one: &Node<'_>| canonical::spelled(*one, Numbers::Exact);
        let mut values: Vec<String> = all.iter().map(spell).collect();
        if nullable {
            values.push("null".to_owned());
        }
        let shown = shown_list(all.iter().map(|one| one.raw()));
        checks.push(Check::Enum { values, shown });
    }
    Ok(())
}

fn combinations<'d>(
    compiler: &mut Compiler<'d>,
    node: Node<'d>,
    checks: &mut Vec<Check>,
) -> Result<(), Beyond> {
    for key in ["allOf", "anyOf", "oneOf"] {
        let list = node.get(key).filter(|node| node.is_array() && !node.is_empty());
        let Some(list) = list else { continue };
        let forms = compiler.forms_of(list)?;
        checks.push(match key {
            "allOf" => Check::All(forms),
            "anyOf" => Check::Any(forms),
            _ => Check::One(forms),
        });
    }
    let [not, asks, then, otherwise] = node.pick(["not", "if", "then", "else"]);
    if let Some(not) = not {
        checks.push(Check::Not(compiler.form(not)));
    }
    if let Some(asks) = asks {
        let asks = compiler.form(asks);
        let then = then.map(|node| compiler.form(node));
        let otherwise = otherwise.map(|node| compiler.form(node));
        checks.push(Check::If { asks, then, otherwise });
    }
    Ok(())
}

fn objects<'d>(
    compiler: &mut Compiler<'d>,
    node: Node<'d>,
    checks: &mut Vec<Check>,
) -> Result<(), Beyond> {
    if let Some(required) = node.get("required").filter(|node| node.is_array()) {
        compiler.spend(required.len())?;
        let names = words(required);
        if !names.is_empty() {
            checks.push(Check::Required(names));
        }
    }
    fields(compiler, node, checks)?;
    if let Some(names) = node.get("propertyNames") {
        checks.push(Check::FieldNames(compiler.form(names)));
    }
    let count = count(node, "minProperties", "maxProperties");
    if !count.is_any() {
        checks.push(Check::FieldCount(count));
    }
    let (mut wanted, mut forms) = (Vec::new(), Vec::new());
    for key in ["dependentRequired", "dependentSchemas", "dependencies"] {
        let Some(all) = node.get(key) else { continue };
        for field in all.fields() {
            compiler.spend(1 + field.value.len())?;
            if field.value.is_array() {
                wanted.push((field.name().into_owned(), words(field.value)));
            } else {
                forms.push((field.name().into_owned(), compiler.form(field.value)));
            }
        }
    }
    if !wanted.is_empty() {
        checks.push(Check::Dependent(wanted));
    }
    if !forms.is_empty() {
        checks.push(Check::DependentForms(forms));
    }
    Ok(())
}

fn fields<'d>(
    compiler: &mut Compiler<'d>,
    node: Node<'d>,
    checks: &mut Vec<Check>,
) -> Result<(), Beyond> {
    let keys = ["properties", "patternProperties", "additionalProperties"];
    let [named, patterns, others] = node.pick(keys);
    if named.is_none() && patterns.is_none() && others.is_none() {
        return Ok(());
    }
    let mut fields = Fields::default();
    for field in named.into_iter().flat_map(Node::fields) {
        compiler.spend(1)?;
        fields.named.push((field.name().into_owned(), compiler.form(field.value)));
    }
    // Of a name that stands twice the last counts.
    fields.named.reverse();
    fields.named.sort_by(|(one, _), (other, _)| one.cmp(other));
    fields.named.dedup_by(|(later, _), (first, _)| later == first);
    // Which fields a pattern that cannot be read would take is not known: no others are refused.
    let mut readable = true;
    for field in patterns.into_iter().flat_map(Node::fields) {
        match compiler.pattern(&field.name())? {
            Some(pattern) => fields.patterns.push((pattern, compiler.form(field.value))),
            None => readable = false,
        }
    }
    if let Some(others) = others.filter(|_| readable) {
        fields.closed = others.boolean() == Some(false);
        fields.others = Some(compiler.form(others));
    }
    checks.push(Check::Fields(fields));
    if !readable {
        checks.push(Check::Unknown);
    }
    Ok(())
}

fn arrays<'d>(
    compiler: &mut Compiler<'d>,
    node: Node<'d>,
    checks: &mut Vec<Check>,
) -> Result<(), Beyond> {
    let [first, items, more] = node.pick(["prefixItems", "items", "additionalItems"]);
    // Older drafts write the first items as a list of `items`.
    let (first, rest) = match items.filter(|items| items.is_array()) {
        Some(list) => (first.or(Some(list)), more),
        None => (first, items),
    };
    if first.is_some() || rest.is_some() {
        let first = first.map(|list| compiler.forms_of(list)).transpose()?.unwrap_or_default();
        checks.push(Check::Items { first, rest: rest.map(|node| compiler.form(node)) });
    }
    let items = count(node, "minItems", "maxItems");
    if !items.is_any() {
        checks.push(Check::ItemCount(items));
    }
    if let Some(contains) = node.get("contains") {
        let Count { least, most } = count(node, "minContains", "maxContains");
        let count = Count { least: Some(least.unwrap_or(1)), most };
        checks.push(Check::Contains { form: compiler.form(contains), count });
    }
    if node.get("uniqueItems").and_then(Node::boolean) == Some(true) {
        checks.push(Check::Unique);
    }
    Ok(())
}

fn scalars(
    compiler: &mut Compiler<'_>,
    node: Node<'_>,
    checks: &mut Vec<Check>,
) -> Result<(), Beyond> {
    let length = count(node, "minLength", "maxLength");
    if !length.is_any() {
        checks.push(Check::Length(length));
    }
    if let Some(written) = node.get("pattern").filter(|node| node.is_string()) {
        let pattern = compiler.pattern(&written.word())?;
        checks.push(pattern.map_or(Check::Unknown, Check::Pattern));
    }
    let least = bounds(node, "minimum", "exclusiveMinimum");
    checks.extend(least.map(|(bound, itself)| Check::Least(bound, itself)));
    let most = bounds(node, "maximum", "exclusiveMaximum");
    checks.extend(most.map(|(bound, itself)| Check::Most(bound, itself)));
    if let Some(factor) = number(node, "multipleOf").filter(Decimal::is_positive) {
        checks.push(Check::MultipleOf(factor));
    }
    Ok(())
}

/// The bounds on one side, each with whether it is itself allowed.
fn bounds(
    node: Node<'_>,
    key: &str,
    exclusive: &str,
) -> impl Iterator<Item = (Decimal, bool)> + use<> {
    // The oldest draft writes a flag beside the bound.
    let beside = node.get(exclusive).and_then(Node::boolean) == Some(true);
    let inside = number(node, key).map(|bound| (bound, !beside));
    inside.into_iter().chain(number(node, exclusive).map(|bound| (bound, false)))
}

fn number(node: Node<'_>, key: &str) -> Option<Decimal> {
    let node = node.get(key)?;
    // Some write counts as strings.
    let written = if node.is_string() { node.word() } else { node.raw().into() };
    Decimal::parse(&written)
}

fn count(node: Node<'_>, least: &str, most: &str) -> Count {
    let one = |key: &str| {
        let node = node.get(key)?;
        node.count().or_else(|| node.word().parse().ok())
    };
    Count { least: one(least), most: one(most) }
}

fn words(list: Node<'_>) -> Vec<String> {
    let strings = list.items().filter(|node| node.is_string());
    strings.map(|node| node.word().into_owned()).collect()
}

/// Keywords that are not understood here.
const UNKNOWN: &[&str] =
    &["unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef", "extends"];
