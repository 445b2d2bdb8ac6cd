//! Checks the applicator keywords: alternatives, object properties and array items.

use std::collections::HashSet;

use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::check::{BYTES_PER_STEP, CheckResult, Checker, Tristate};
use super::node::{CountRange, NodeId, Properties, TypeSet};
use super::violation::{MAX_VALUE_CHARS, PathSegment, ViolationKind, truncate};
use crate::canonical::{self, NumberPrecision};

impl Checker<'_> {
    pub(super) fn check_any_of(
        &mut self,
        alternatives: &[NodeId],
        value: JsonNode<'_>,
        should_report: bool,
    ) -> CheckResult {
        let mut result = Tristate::No;
        for id in alternatives {
            match self.check_node(*id, value, false)? {
                Tristate::Yes => return Ok(Tristate::Yes),
                Tristate::Unknown => result = Tristate::Unknown,
                Tristate::No => {}
            }
        }
        if result == Tristate::No && should_report {
            self.report_no_match(alternatives, value)?;
        }
        Ok(result)
    }

    pub(super) fn check_one_of(
        &mut self,
        alternatives: &[NodeId],
        value: JsonNode<'_>,
        should_report: bool,
    ) -> CheckResult {
        let (mut fits, mut unknown) = (0, false);
        for id in alternatives {
            match self.check_node(*id, value, false)? {
                Tristate::Yes => fits += 1,
                Tristate::Unknown => unknown = true,
                Tristate::No => {}
            }
        }
        match fits {
            0 | 1 if unknown => Ok(Tristate::Unknown),
            1 => Ok(Tristate::Yes),
            0 => {
                if should_report {
                    self.report_no_match(alternatives, value)?;
                }
                Ok(Tristate::No)
            }
            _ => Ok(self.reject(should_report, ViolationKind::Value, value, |subject| {
                format!("{subject} fits {fits} of its alternatives, and may fit only one")
            })),
        }
    }

    /// Reports why no alternative matches: if only one has the value's type, the violations of that
    /// one.
    fn report_no_match(
        &mut self,
        alternatives: &[NodeId],
        value: JsonNode<'_>,
    ) -> Result<(), super::limits::SkipReason> {
        let types = TypeSet::from_value(value);
        let mut candidates = alternatives.iter().filter(|id| self.types_of(**id).allows(types));
        if let (Some(id), None) = (candidates.next(), candidates.next()) {
            self.check_node(*id, value, true)?;
            return Ok(());
        }
        let allowed = alternatives.iter().map(|id| self.types_of(*id));
        let has_types = allowed.clone().all(|types| !types.is_any());
        let expected = allowed.fold(TypeSet::default(), TypeSet::union);
        if has_types && !expected.allows(types) {
            let (expected, actual) = (expected.describe(), types.describe());
            self.report(ViolationKind::Type, value, |subject| {
                format!("{subject} must be {expected}, but is {actual}")
            });
        } else {
            let count = alternatives.len();
            self.report(ViolationKind::Value, value, |subject| {
                format!("{subject} fits none of the {count} forms that it may have")
            });
        }
        Ok(())
    }

    pub(super) fn check_not(
        &mut self,
        id: NodeId,
        value: JsonNode<'_>,
        should_report: bool,
    ) -> CheckResult {
        Ok(match self.check_node(id, value, false)? {
            Tristate::No => Tristate::Yes,
            Tristate::Unknown => Tristate::Unknown,
            Tristate::Yes => self.reject(should_report, ViolationKind::Value, value, |subject| {
                format!("{subject} is of a form that it may not have")
            }),
        })
    }

    pub(super) fn check_if(
        &mut self,
        (condition, then, otherwise): (NodeId, Option<NodeId>, Option<NodeId>),
        value: JsonNode<'_>,
        should_report: bool,
    ) -> CheckResult {
        let next = match self.check_node(condition, value, false)? {
            Tristate::Yes => then,
            Tristate::No => otherwise,
            Tristate::Unknown => return Ok(Tristate::Unknown),
        };
        next.map_or(Ok(Tristate::Yes), |id| self.check_node(id, value, should_report))
    }

    pub(super) fn check_required(
        &mut self,
        names: &[String],
        value: JsonNode<'_>,
        should_report: bool,
    ) -> CheckResult {
        if !value.is_object() {
            return Ok(Tristate::Yes);
        }
        let mut result = Tristate::Yes;
        for name in names {
            self.spend(1 + value.len() / FIELDS_PER_STEP)?;
            if value.get(name).is_some() {
                continue;
            }
            result = Tristate::No;
            if !should_report {
                break;
            }
            self.path.push(PathSegment::Property(name.clone()));
            self.report(ViolationKind::Missing, value, |subject| {
                format!("{subject} is required, but missing")
            });
            self.path.pop();
        }
        Ok(result)
    }

    pub(super) fn check_dependent_required(
        &mut self,
        all: &[(String, Vec<String>)],
        value: JsonNode<'_>,
        should_report: bool,
    ) -> CheckResult {
        let mut result = Tristate::Yes;
        for (name, required) in all {
            self.spend(1 + value.len() / FIELDS_PER_STEP)?;
            if value.get(name).is_some() {
                result = result.and(self.check_required(required, value, should_report)?);
            }
        }
        Ok(result)
    }

    pub(super) fn check_dependent_schemas(
        &mut self,
        all: &[(String, NodeId)],
        value: JsonNode<'_>,
        should_report: bool,
    ) -> CheckResult {
        let mut result = Tristate::Yes;
        for (name, node) in all {
            self.spend(1 + value.len() / FIELDS_PER_STEP)?;
            if value.get(name).is_some() {
                result = result.and(self.check_node(*node, value, should_report)?);
            }
        }
        Ok(result)
    }

    pub(super) fn check_properties(
        &mut self,
        fields: &Properties,
        value: JsonNode<'_>,
        should_report: bool,
    ) -> CheckResult {
        // Parsers differ in which of two fields of the same name they use.
        if value.duplicate_key().is_some() {
            return Ok(Tristate::Unknown);
        }
        let mut result = Tristate::Yes;
        for field in value.fields() {
            self.spend(1 + fields.patterns.len() * (1 + field.key_len()))?;
            let name = field.key();
            if should_report {
                self.path.push(PathSegment::Property(name.to_string()));
            }
            let named_index =
                fields.named.binary_search_by(|(is_known, _)| is_known.as_str().cmp(&*name));
            let mut is_known = named_index.is_ok();
            if let Ok(at) = named_index {
                result =
                    result.and(self.check_node(fields.named[at].1, field.value, should_report)?);
            }
            for (pattern, node) in &fields.patterns {
                match pattern.is_match(&name) {
                    Some(false) => {}
                    Some(true) => {
                        is_known = true;
                        result = result.and(self.check_node(*node, field.value, should_report)?);
                    }
                    None => {
                        is_known = true;
                        result = result.and(Tristate::Unknown);
                    }
                }
            }
            if let Some(additional) = fields.additional.filter(|_| !is_known) {
                result = result.and(if fields.forbids_additional {
                    self.reject(should_report, ViolationKind::Extra, field.value, |subject| {
                        format!("{subject} does not exist")
                    })
                } else {
                    self.check_node(additional, field.value, should_report)?
                });
            }
            if should_report {
                self.path.pop();
            } else if result == Tristate::No {
                break;
            }
        }
        Ok(result)
    }

    pub(super) fn check_property_names(
        &mut self,
        node: NodeId,
        value: JsonNode<'_>,
        should_report: bool,
    ) -> CheckResult {
        let mut result = Tristate::Yes;
        for field in value.fields() {
            self.spend(1 + field.key_len() / BYTES_PER_STEP)?;
            let name = RawJson::string(&JsonString::new(&field.key())).to_doc();
            let fits = self.check_node(node, name.root(), false)?;
            result = result.and(fits);
            if fits == Tristate::No {
                self.reject(should_report, ViolationKind::Extra, value, |subject| {
                    let name = truncate(&field.key(), MAX_VALUE_CHARS);
                    format!("{subject} may not have a field named '{name}'")
                });
            }
        }
        Ok(result)
    }

    pub(super) fn check_items(
        &mut self,
        prefix: &[NodeId],
        rest: Option<NodeId>,
        value: JsonNode<'_>,
        should_report: bool,
    ) -> CheckResult {
        let mut result = Tristate::Yes;
        for (at, item) in value.items().enumerate() {
            let Some(node) = prefix.get(at).copied().or(rest) else { break };
            if should_report {
                self.path.push(PathSegment::Index(at));
            }
            result = result.and(self.check_node(node, item, should_report)?);
            if should_report {
                self.path.pop();
            } else if result == Tristate::No {
                break;
            }
        }
        Ok(result)
    }

    pub(super) fn check_contains(
        &mut self,
        node: NodeId,
        count: CountRange,
        value: JsonNode<'_>,
        should_report: bool,
    ) -> CheckResult {
        let (mut fits, mut unknown) = (0, false);
        for item in value.items() {
            match self.check_node(node, item, false)? {
                Tristate::Yes => fits += 1,
                Tristate::Unknown => unknown = true,
                Tristate::No => {}
            }
        }
        if unknown {
            return Ok(Tristate::Unknown);
        }
        Ok(self.check_count(count, fits, "items of a certain form", value, should_report))
    }

    pub(super) fn check_unique_items(
        &mut self,
        value: JsonNode<'_>,
        should_report: bool,
    ) -> CheckResult {
        self.spend(value.raw().len() / BYTES_PER_STEP)?;
        let mut seen = HashSet::new();
        for item in value.items() {
            self.spend(1)?;
            if !seen.insert(canonical::canonical_json(item, NumberPrecision::Exact)) {
                return Ok(self.reject(should_report, ViolationKind::Value, value, |subject| {
                    let item = truncate(item.raw(), MAX_VALUE_CHARS);
                    format!("{subject} may not hold an item twice: {item}")
                }));
            }
        }
        Ok(Tristate::Yes)
    }
}

const FIELDS_PER_STEP: usize = 4;
