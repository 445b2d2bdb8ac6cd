//! Checks a value against compiled schema nodes. Every step is counted, and only certain violations
//! are reported.

use interlingua_wire::{JsonKind, JsonNode};

use super::limits::SkipReason;
use super::node::{Constraint, CountRange, NodeId, SchemaNode, TypeSet};
use super::violation::{
    self, MAX_VALUE_CHARS, PathDisplay, PathSegment, Violation, ViolationKind, truncate,
};
use crate::canonical::{self, NumberPrecision};
use crate::decimal::Decimal;

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Certain violations, at most `MAX_VIOLATIONS`.
    pub violations: Vec<Violation>,
}

/// Whether a value satisfies a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tristate {
    Yes,
    No,
    /// It depends on a keyword that is not supported.
    Unknown,
}

pub(super) fn check(
    nodes: &[SchemaNode],
    value: JsonNode<'_>,
    steps: usize,
) -> Result<CheckReport, SkipReason> {
    // Parsing the value costs its length anyway, so it does not count against the budget.
    let steps_left = steps.saturating_add(value.raw().len());
    let mut checker =
        Checker { nodes, steps_left, depth: 0, path: Vec::new(), violations: Vec::new() };
    checker.check_node(0, value, true)?;
    Ok(CheckReport { violations: checker.violations })
}

pub(super) struct Checker<'s> {
    nodes: &'s [SchemaNode],
    steps_left: usize,
    depth: usize,
    pub(super) path: Vec<PathSegment>,
    violations: Vec<Violation>,
}

pub(super) type CheckResult = Result<Tristate, SkipReason>;

impl<'s> Checker<'s> {
    /// Checks a value against one node. With `report`, all violations are searched and
    /// recorded; without, the check stops at the first.
    pub(super) fn check_node(
        &mut self,
        id: NodeId,
        value: JsonNode<'_>,
        report: bool,
    ) -> CheckResult {
        self.spend(1)?;
        if self.depth >= MAX_DEPTH {
            return Err(SkipReason::TooManySteps);
        }
        self.depth += 1;
        let result = self.check_types_and_constraints(id, value, report);
        self.depth -= 1;
        result
    }

    fn check_types_and_constraints(
        &mut self,
        id: NodeId,
        value: JsonNode<'_>,
        report: bool,
    ) -> CheckResult {
        let nodes: &'s [SchemaNode] = self.nodes;
        let Some(node) = nodes.get(id) else { return Ok(Tristate::Unknown) };
        let types = TypeSet::from_value(value);
        if !node.types.allows(types) {
            if report {
                let (expected, actual) = (node.types.describe(), types.describe());
                let message = |path_display: PathDisplay<'_>| {
                    format!("{path_display} must be {expected}, but is {actual}")
                };
                self.report(ViolationKind::Type, value, message);
            }
            return Ok(Tristate::No);
        }
        let mut result = Tristate::Yes;
        for constraint in &node.constraints {
            self.spend(1)?;
            result = result.and(self.check_constraint(constraint, value, report)?);
            if result == Tristate::No && !report {
                break;
            }
        }
        Ok(result)
    }

    fn check_constraint(
        &mut self,
        constraint: &'s Constraint,
        value: JsonNode<'_>,
        report: bool,
    ) -> CheckResult {
        match constraint {
            Constraint::Never => Ok(self.reject(report, ViolationKind::Value, value, |subject| {
                format!("{subject} is not allowed")
            })),
            Constraint::Unknown => Ok(Tristate::Unknown),
            Constraint::Ref(id) => self.check_node(*id, value, report),
            Constraint::AllOf(all) => {
                let mut result = Tristate::Yes;
                for id in all {
                    result = result.and(self.check_node(*id, value, report)?);
                }
                Ok(result)
            }
            Constraint::AnyOf(alternatives) => self.check_any_of(alternatives, value, report),
            Constraint::OneOf(alternatives) => self.check_one_of(alternatives, value, report),
            Constraint::Not(id) => self.check_not(*id, value, report),
            Constraint::If { condition, then, otherwise } => {
                self.check_if((*condition, *then, *otherwise), value, report)
            }
            Constraint::Enum { values, shown } => self.check_enum(values, shown, value, report),
            Constraint::Required(names) => self.check_required(names, value, report),
            Constraint::DependentRequired(all) => self.check_dependent_required(all, value, report),
            Constraint::DependentSchemas(all) => self.check_dependent_schemas(all, value, report),
            Constraint::Properties(fields) if value.is_object() => {
                self.check_properties(fields, value, report)
            }
            Constraint::PropertyNames(node) if value.is_object() => {
                self.check_property_names(*node, value, report)
            }
            Constraint::PropertyCount(count) if value.is_object() => {
                Ok(self.check_count(*count, value.len() as u64, "fields", value, report))
            }
            Constraint::Items { prefix, rest } if value.is_array() => {
                self.check_items(prefix, *rest, value, report)
            }
            Constraint::ItemCount(count) if value.is_array() => {
                Ok(self.check_count(*count, value.len() as u64, "items", value, report))
            }
            Constraint::Contains { node, count } if value.is_array() => {
                self.check_contains(*node, *count, value, report)
            }
            Constraint::UniqueItems if value.is_array() => self.check_unique_items(value, report),
            Constraint::Length(count) if value.is_string() => {
                self.spend(value.raw().len() / BYTES_PER_STEP)?;
                let length = value.str_or_empty().chars().count() as u64;
                Ok(self.check_count(*count, length, "characters", value, report))
            }
            Constraint::Pattern(pattern) if value.is_string() => {
                self.spend(value.raw().len())?;
                match pattern.is_match(&value.str_or_empty()) {
                    Some(true) => Ok(Tristate::Yes),
                    None => Ok(Tristate::Unknown),
                    Some(false) => {
                        Ok(self.reject(report, ViolationKind::Value, value, |subject| {
                            format!("{subject} must match the pattern {}", pattern.source)
                        }))
                    }
                }
            }
            Constraint::Minimum(..) | Constraint::Maximum(..) | Constraint::MultipleOf(_)
                if value.kind() == JsonKind::Number =>
            {
                Ok(self.check_number(constraint, value, report))
            }
            // The constraint applies to values of another type.
            _ => Ok(Tristate::Yes),
        }
    }

    fn check_enum(
        &mut self,
        values: &[String],
        shown: &str,
        value: JsonNode<'_>,
        report: bool,
    ) -> CheckResult {
        self.spend(values.len() + value.raw().len() / BYTES_PER_STEP)?;
        let canonical_value = canonical::canonical_json(value, NumberPrecision::Exact);
        if values.contains(&canonical_value) {
            return Ok(Tristate::Yes);
        }
        Ok(self.reject(report, ViolationKind::Value, value, |subject| {
            let actual = truncate(value.raw(), MAX_VALUE_CHARS);
            format!("{subject} must be one of {shown}, but is {actual}")
        }))
    }

    fn check_number(
        &mut self,
        constraint: &Constraint,
        value: JsonNode<'_>,
        report: bool,
    ) -> Tristate {
        let Some(number) = Decimal::parse(value.raw()) else { return Tristate::Unknown };
        let (result, expected) = match constraint {
            Constraint::Minimum(bound, is_inclusive) => {
                let ordering = number.compare(bound);
                let relation = if *is_inclusive { "at least" } else { "more than" };
                (
                    ordering.is_gt() || *is_inclusive && ordering.is_eq(),
                    format!("{relation} {bound}"),
                )
            }
            Constraint::Maximum(bound, is_inclusive) => {
                let ordering = number.compare(bound);
                let relation = if *is_inclusive { "at most" } else { "less than" };
                (
                    ordering.is_lt() || *is_inclusive && ordering.is_eq(),
                    format!("{relation} {bound}"),
                )
            }
            Constraint::MultipleOf(factor) => match number.is_multiple_of(factor) {
                None => return Tristate::Unknown,
                Some(result) => (result, format!("a multiple of {factor}")),
            },
            _ => return Tristate::Yes,
        };
        if result {
            return Tristate::Yes;
        }
        self.reject(report, ViolationKind::Value, value, |subject| {
            format!(
                "{subject} must be {expected}, but is {}",
                truncate(value.raw(), MAX_VALUE_CHARS)
            )
        })
    }

    pub(super) fn check_count(
        &mut self,
        count: CountRange,
        actual: u64,
        unit: &str,
        value: JsonNode<'_>,
        report: bool,
    ) -> Tristate {
        if count.contains(actual) {
            return Tristate::Yes;
        }
        self.reject(report, ViolationKind::Value, value, |subject| {
            format!("{subject} must have {} {unit}, but has {actual}", count.describe())
        })
    }

    /// Returns `No`, and records a violation if `report`.
    pub(super) fn reject(
        &mut self,
        report: bool,
        kind: ViolationKind,
        value: JsonNode<'_>,
        message: impl FnOnce(PathDisplay<'_>) -> String,
    ) -> Tristate {
        if report {
            self.report(kind, value, message);
        }
        Tristate::No
    }

    pub(super) fn report(
        &mut self,
        kind: ViolationKind,
        value: JsonNode<'_>,
        message: impl FnOnce(PathDisplay<'_>) -> String,
    ) {
        if self.violations.len() < MAX_VIOLATIONS {
            let path = violation::format_path(&self.path);
            let message = message(PathDisplay(&path));
            self.violations.push(Violation { kind, path, message, span: value.range() });
        }
    }

    pub(super) fn types_of(&self, id: NodeId) -> TypeSet {
        self.nodes.get(id).map_or(TypeSet::default(), |node| node.types)
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), SkipReason> {
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(SkipReason::TooManySteps)?;
        Ok(())
    }
}

impl Tristate {
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Yes, Self::Yes) => Self::Yes,
        }
    }
}

pub(super) const BYTES_PER_STEP: usize = 32;
/// Levels of nesting; each takes one or two stack frames.
const MAX_DEPTH: usize = 300;
/// More errors than this do not help a model to correct its call.
const MAX_VIOLATIONS: usize = 16;
