//! Compiles the keywords of JSON Schema. Keywords that only annotate are ignored.

use interlingua_wire::JsonNode;

use super::compiler::Compiler;
use super::limits::SkipReason;
use super::node::{Constraint, CountRange, Properties, SchemaNode, TypeSet};
use super::violation::format_values;
use crate::canonical::{self, NumberPrecision};
use crate::decimal::Decimal;

pub(super) fn compile_node<'d>(
    compiler: &mut Compiler<'d>,
    node: JsonNode<'d>,
) -> Result<SchemaNode, SkipReason> {
    let mut schema_node = SchemaNode::default();
    if let Some(reference) = node.get("$ref").filter(|node| node.is_string()) {
        let target = compiler.resolve_ref(&reference.str_or_empty())?;
        schema_node.constraints.push(target.map_or(Constraint::Unknown, Constraint::Ref));
        if compiler.ref_ignores_siblings {
            return Ok(schema_node);
        }
    }
    let nullable = node.get("nullable").and_then(JsonNode::as_bool) == Some(true);
    schema_node.types = compile_types(node, nullable);
    let constraints = &mut schema_node.constraints;
    compile_enum(compiler, node, nullable, constraints)?;
    compile_combinators(compiler, node, constraints)?;
    compile_object(compiler, node, constraints)?;
    compile_array(compiler, node, constraints)?;
    compile_scalar(compiler, node, constraints)?;
    if UNSUPPORTED.iter().any(|key| node.get(key).is_some()) {
        constraints.push(Constraint::Unknown);
    }
    Ok(schema_node)
}

/// Unknown type names constrain nothing.
fn compile_types(node: JsonNode<'_>, nullable: bool) -> TypeSet {
    let Some(types_value) = node.get("type") else { return TypeSet::default() };
    let type_of = |node: JsonNode<'_>| TypeSet::from_name(&node.str_or_empty());
    let types = if types_value.is_string() {
        type_of(types_value)
    } else {
        let type_sets: Option<Vec<TypeSet>> = types_value.items().map(type_of).collect();
        type_sets.map(|all| all.into_iter().fold(TypeSet::default(), TypeSet::union))
    };
    match types {
        Some(types) if nullable && !types.is_any() => types.union(TypeSet::NULL),
        types => types.unwrap_or_default(),
    }
}

fn compile_enum(
    compiler: &mut Compiler<'_>,
    node: JsonNode<'_>,
    nullable: bool,
    constraints: &mut Vec<Constraint>,
) -> Result<(), SkipReason> {
    let listed = node.get("enum").filter(|node| node.is_array());
    for (list, single) in [(listed, None), (None, node.get("const"))] {
        let all: Vec<JsonNode<'_>> =
            list.into_iter().flat_map(JsonNode::items).chain(single).collect();
        if list.is_none() && single.is_none() {
            continue;
        }
        compiler
            .spend(all.len() + all.iter().map(|value| value.raw().len()).sum::<usize>() / 64)?;
        let canonical =
            |value: &JsonNode<'_>| canonical::canonical_json(*value, NumberPrecision::Exact);
        let mut values: Vec<String> = all.iter().map(canonical).collect();
        if nullable {
            values.push("null".to_owned());
        }
        let listed_values = format_values(all.iter().map(|value| value.raw()));
        constraints.push(Constraint::Enum { values, shown: listed_values });
    }
    Ok(())
}

fn compile_combinators<'d>(
    compiler: &mut Compiler<'d>,
    node: JsonNode<'d>,
    constraints: &mut Vec<Constraint>,
) -> Result<(), SkipReason> {
    for key in ["allOf", "anyOf", "oneOf"] {
        let list = node.get(key).filter(|node| node.is_array() && !node.is_empty());
        let Some(list) = list else { continue };
        let ids = compiler.add_all(list)?;
        constraints.push(match key {
            "allOf" => Constraint::AllOf(ids),
            "anyOf" => Constraint::AnyOf(ids),
            _ => Constraint::OneOf(ids),
        });
    }
    let [not, condition, then, otherwise] = node.get_many(["not", "if", "then", "else"]);
    if let Some(not) = not {
        constraints.push(Constraint::Not(compiler.add(not)));
    }
    if let Some(condition) = condition {
        let condition = compiler.add(condition);
        let then = then.map(|node| compiler.add(node));
        let otherwise = otherwise.map(|node| compiler.add(node));
        constraints.push(Constraint::If { condition, then, otherwise });
    }
    Ok(())
}

fn compile_object<'d>(
    compiler: &mut Compiler<'d>,
    node: JsonNode<'d>,
    constraints: &mut Vec<Constraint>,
) -> Result<(), SkipReason> {
    if let Some(required) = node.get("required").filter(|node| node.is_array()) {
        compiler.spend(required.len())?;
        let names = string_list(required);
        if !names.is_empty() {
            constraints.push(Constraint::Required(names));
        }
    }
    compile_properties(compiler, node, constraints)?;
    if let Some(names) = node.get("propertyNames") {
        constraints.push(Constraint::PropertyNames(compiler.add(names)));
    }
    let count = count_range(node, "minProperties", "maxProperties");
    if !count.is_unbounded() {
        constraints.push(Constraint::PropertyCount(count));
    }
    let (mut required_fields, mut schemas) = (Vec::new(), Vec::new());
    for key in ["dependentRequired", "dependentSchemas", "dependencies"] {
        let Some(all) = node.get(key) else { continue };
        for field in all.fields() {
            compiler.spend(1 + field.value.len())?;
            if field.value.is_array() {
                required_fields.push((field.key().into_owned(), string_list(field.value)));
            } else {
                schemas.push((field.key().into_owned(), compiler.add(field.value)));
            }
        }
    }
    if !required_fields.is_empty() {
        constraints.push(Constraint::DependentRequired(required_fields));
    }
    if !schemas.is_empty() {
        constraints.push(Constraint::DependentSchemas(schemas));
    }
    Ok(())
}

fn compile_properties<'d>(
    compiler: &mut Compiler<'d>,
    node: JsonNode<'d>,
    constraints: &mut Vec<Constraint>,
) -> Result<(), SkipReason> {
    let keys = ["properties", "patternProperties", "additionalProperties"];
    let [named, patterns, additional] = node.get_many(keys);
    if named.is_none() && patterns.is_none() && additional.is_none() {
        return Ok(());
    }
    let mut fields = Properties::default();
    for field in named.into_iter().flat_map(JsonNode::fields) {
        compiler.spend(1)?;
        fields.named.push((field.key().into_owned(), compiler.add(field.value)));
    }
    // The last of duplicate names counts.
    fields.named.reverse();
    fields.named.sort_by(|(left, _), (right, _)| left.cmp(right));
    fields.named.dedup_by(|(later, _), (first, _)| later == first);
    // A pattern that cannot be compiled might match any field, so no field is rejected as
    // additional.
    let mut all_compiled = true;
    for field in patterns.into_iter().flat_map(JsonNode::fields) {
        match compiler.pattern(&field.key())? {
            Some(pattern) => fields.patterns.push((pattern, compiler.add(field.value))),
            None => all_compiled = false,
        }
    }
    if let Some(additional) = additional.filter(|_| all_compiled) {
        fields.forbids_additional = additional.as_bool() == Some(false);
        fields.additional = Some(compiler.add(additional));
    }
    constraints.push(Constraint::Properties(fields));
    if !all_compiled {
        constraints.push(Constraint::Unknown);
    }
    Ok(())
}

fn compile_array<'d>(
    compiler: &mut Compiler<'d>,
    node: JsonNode<'d>,
    constraints: &mut Vec<Constraint>,
) -> Result<(), SkipReason> {
    let [prefix, items, additional] = node.get_many(["prefixItems", "items", "additionalItems"]);
    // Older drafts write a list as `items` for the first items.
    let (prefix, rest) = match items.filter(|items| items.is_array()) {
        Some(list) => (prefix.or(Some(list)), additional),
        None => (prefix, items),
    };
    if prefix.is_some() || rest.is_some() {
        let prefix = prefix.map(|list| compiler.add_all(list)).transpose()?.unwrap_or_default();
        constraints.push(Constraint::Items { prefix, rest: rest.map(|node| compiler.add(node)) });
    }
    let items = count_range(node, "minItems", "maxItems");
    if !items.is_unbounded() {
        constraints.push(Constraint::ItemCount(items));
    }
    if let Some(contains) = node.get("contains") {
        let CountRange { min, max } = count_range(node, "minContains", "maxContains");
        let count = CountRange { min: Some(min.unwrap_or(1)), max };
        constraints.push(Constraint::Contains { node: compiler.add(contains), count });
    }
    if node.get("uniqueItems").and_then(JsonNode::as_bool) == Some(true) {
        constraints.push(Constraint::UniqueItems);
    }
    Ok(())
}

fn compile_scalar(
    compiler: &mut Compiler<'_>,
    node: JsonNode<'_>,
    constraints: &mut Vec<Constraint>,
) -> Result<(), SkipReason> {
    let length = count_range(node, "minLength", "maxLength");
    if !length.is_unbounded() {
        constraints.push(Constraint::Length(length));
    }
    if let Some(source) = node.get("pattern").filter(|node| node.is_string()) {
        let pattern = compiler.pattern(&source.str_or_empty())?;
        constraints.push(pattern.map_or(Constraint::Unknown, Constraint::Pattern));
    }
    let lower_bounds = bounds(node, "minimum", "exclusiveMinimum");
    constraints
        .extend(lower_bounds.map(|(bound, is_inclusive)| Constraint::Minimum(bound, is_inclusive)));
    let upper_bounds = bounds(node, "maximum", "exclusiveMaximum");
    constraints
        .extend(upper_bounds.map(|(bound, is_inclusive)| Constraint::Maximum(bound, is_inclusive)));
    if let Some(factor) = number_keyword(node, "multipleOf").filter(Decimal::is_positive) {
        constraints.push(Constraint::MultipleOf(factor));
    }
    Ok(())
}

/// The bounds on one side, each with whether it is inclusive.
fn bounds(
    node: JsonNode<'_>,
    key: &str,
    exclusive_key: &str,
) -> impl Iterator<Item = (Decimal, bool)> + use<> {
    // Draft 4 has a boolean `exclusiveMinimum` next to the bound.
    let is_exclusive = node.get(exclusive_key).and_then(JsonNode::as_bool) == Some(true);
    let inclusive_bound = number_keyword(node, key).map(|bound| (bound, !is_exclusive));
    inclusive_bound
        .into_iter()
        .chain(number_keyword(node, exclusive_key).map(|bound| (bound, false)))
}

fn number_keyword(node: JsonNode<'_>, key: &str) -> Option<Decimal> {
    let node = node.get(key)?;
    // Some clients write numbers as strings.
    let text = if node.is_string() { node.str_or_empty() } else { node.raw().into() };
    Decimal::parse(&text)
}

fn count_range(node: JsonNode<'_>, min_key: &str, max_key: &str) -> CountRange {
    let limit = |key: &str| {
        let node = node.get(key)?;
        node.as_u64().or_else(|| node.str_or_empty().parse().ok())
    };
    CountRange { min: limit(min_key), max: limit(max_key) }
}

fn string_list(list: JsonNode<'_>) -> Vec<String> {
    let strings = list.items().filter(|node| node.is_string());
    strings.map(|node| node.str_or_empty().into_owned()).collect()
}

const UNSUPPORTED: &[&str] =
    &["unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef", "extends"];
