//! Checking a value: every step is counted, and what is not certain is not said.

use interlingua_wire::{Kind, Node};

use super::Beyond;
use super::decimal::Decimal;
use super::form::{At, Check, Count, Form, Types};
use super::say::{self, Flaw, LONGEST_VALUE, Named, Step, Violation, shortened};
use crate::canonical::{self, Numbers};

/// What came out of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// What is certainly wrong; the first so many of it.
    pub violations: Vec<Violation>,
}

/// Whether something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Yes,
    No,
    /// It depends on what is not understood here.
    Unknown,
}

pub(super) fn check(forms: &[Form], value: Node<'_>, steps: usize) -> Result<Checked, Beyond> {
    // What is given is read anyway; it does not count against what it is checked for.
    let left = steps.saturating_add(value.raw().len());
    let mut checker = Checker { forms, left, depth: 0, path: Vec::new(), found: Vec::new() };
    checker.form(0, value, true)?;
    Ok(Checked { violations: checker.found })
}

pub(super) struct Checker<'s> {
    forms: &'s [Form],
    left: usize,
    depth: usize,
    pub(super) path: Vec<Step>,
    found: Vec<Violation>,
}

pub(super) type Held = Result<Truth, Beyond>;

impl<'s> Checker<'s> {
    /// Whether a value is of a form. What is wrong is said, if asked; then all of it is looked for.
    pub(super) fn form(&mut self, at: At, value: Node<'_>, say: bool) -> Held {
        self.spend(1)?;
        if self.depth >= DEEPEST {
            return Err(Beyond::Steps);
        }
        self.depth += 1;
        let held = self.checks(at, value, say);
        self.depth -= 1;
        held
    }

    fn checks(&mut self, at: At, value: Node<'_>, say: bool) -> Held {
        let forms: &'s [Form] = self.forms;
        let Some(form) = forms.get(at) else { return Ok(Truth::Unknown) };
        let types = Types::of(value);
        if !form.types.admits(types) {
            if say {
                let (wanted, is) = (form.types.said(), types.said());
                let what = |named: Named<'_>| format!("{named} must be {wanted}, but is {is}");
                self.say(Flaw::Type, value, what);
            }
            return Ok(Truth::No);
        }
        let mut all = Truth::Yes;
        for check in &form.checks {
            self.spend(1)?;
            all = all.and(self.one(check, value, say)?);
            if all == Truth::No && !say {
                break;
            }
        }
        Ok(all)
    }

    fn one(&mut self, check: &'s Check, value: Node<'_>, say: bool) -> Held {
        match check {
            Check::Never => {
                Ok(self.no(say, Flaw::Value, value, |it| format!("{it} is not allowed")))
            }
            Check::Unknown => Ok(Truth::Unknown),
            Check::Refer(at) => self.form(*at, value, say),
            Check::All(all) => {
                let mut held = Truth::Yes;
                for at in all {
                    held = held.and(self.form(*at, value, say)?);
                }
                Ok(held)
            }
            Check::Any(any) => self.any(any, value, say),
            Check::One(any) => self.exactly_one(any, value, say),
            Check::Not(at) => self.not(*at, value, say),
            Check::If { asks, then, otherwise } => {
                self.conditional((*asks, *then, *otherwise), value, say)
            }
            Check::Enum { values, shown } => self.listed(values, shown, value, say),
            Check::Required(names) => self.required(names, value, say),
            Check::Dependent(all) => self.dependent(all, value, say),
            Check::DependentForms(all) => self.dependent_forms(all, value, say),
            Check::Fields(fields) if value.is_object() => self.fields(fields, value, say),
            Check::FieldNames(form) if value.is_object() => self.field_names(*form, value, say),
            Check::FieldCount(count) if value.is_object() => {
                Ok(self.counted(*count, value.len() as u64, "fields", value, say))
            }
            Check::Items { first, rest } if value.is_array() => {
                self.items(first, *rest, value, say)
            }
            Check::ItemCount(count) if value.is_array() => {
                Ok(self.counted(*count, value.len() as u64, "items", value, say))
            }
            Check::Contains { form, count } if value.is_array() => {
                self.contains(*form, *count, value, say)
            }
            Check::Unique if value.is_array() => self.unique(value, say),
            Check::Length(count) if value.is_string() => {
                self.spend(value.raw().len() / BYTES_PER_STEP)?;
                let length = value.word().chars().count() as u64;
                Ok(self.counted(*count, length, "characters", value, say))
            }
            Check::Pattern(pattern) if value.is_string() => {
                self.spend(value.raw().len())?;
                match pattern.is_in(&value.word()) {
                    Some(true) => Ok(Truth::Yes),
                    None => Ok(Truth::Unknown),
                    Some(false) => Ok(self.no(say, Flaw::Value, value, |it| {
                        format!("{it} must match the pattern {}", pattern.written)
                    })),
                }
            }
            Check::Least(..) | Check::Most(..) | Check::MultipleOf(_)
                if value.kind() == Kind::Number =>
            {
                Ok(self.number(check, value, say))
            }
            // About values of another type.
            _ => Ok(Truth::Yes),
        }
    }

    fn listed(&mut self, values: &[String], shown: &str, value: Node<'_>, say: bool) -> Held {
        self.spend(values.len() + value.raw().len() / BYTES_PER_STEP)?;
        let spelled = canonical::spelled(value, Numbers::Exact);
        if values.contains(&spelled) {
            return Ok(Truth::Yes);
        }
        Ok(self.no(say, Flaw::Value, value, |it| {
            let is = shortened(value.raw(), LONGEST_VALUE);
            format!("{it} must be one of {shown}, but is {is}")
        }))
    }

    fn number(&mut self, check: &Check, value: Node<'_>, say: bool) -> Truth {
        let Some(number) = Decimal::parse(value.raw()) else { return Truth::Unknown };
        let (held, wanted) = match check {
            Check::Least(bound, itself) => {
                let above = number.compare(bound);
                let words = if *itself { "at least" } else { "more than" };
                (above.is_gt() || *itself && above.is_eq(), format!("{words} {bound}"))
            }
            Check::Most(bound, itself) => {
                let above = number.compare(bound);
                let words = if *itself { "at most" } else { "less than" };
                (above.is_lt() || *itself && above.is_eq(), format!("{words} {bound}"))
            }
            Check::MultipleOf(factor) => match number.is_multiple_of(factor) {
                None => return Truth::Unknown,
                Some(held) => (held, format!("a multiple of {factor}")),
            },
            _ => return Truth::Yes,
        };
        if held {
            return Truth::Yes;
        }
        self.no(say, Flaw::Value, value, |it| {
            format!("{it} must be {wanted}, but is {}", shortened(value.raw(), LONGEST_VALUE))
        })
    }

    pub(super) fn counted(
        &mut self,
        count: Count,
        is: u64,
        of: &str,
        value: Node<'_>,
        say: bool,
    ) -> Truth {
        if count.admits(is) {
            return Truth::Yes;
        }
        self.no(say, Flaw::Value, value, |it| {
            format!("{it} must have {} {of}, but has {is}", count.said())
        })
    }

    /// Says what is wrong, if asked.
    pub(super) fn no(
        &mut self,
        say: bool,
        flaw: Flaw,
        value: Node<'_>,
        what: impl FnOnce(Named<'_>) -> String,
    ) -> Truth {
        if say {
            self.say(flaw, value, what);
        }
        Truth::No
    }

    pub(super) fn say(
        &mut self,
        flaw: Flaw,
        value: Node<'_>,
        what: impl FnOnce(Named<'_>) -> String,
    ) {
        if self.found.len() < MOST {
            let path = say::path(&self.path);
            let what = what(Named(&path));
            self.found.push(Violation { flaw, path, what, span: value.range() });
        }
    }

    pub(super) fn types(&self, at: At) -> Types {
        self.forms.get(at).map_or(Types::default(), |form| form.types)
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), Beyond> {
        self.left = self.left.checked_sub(steps).ok_or(Beyond::Steps)?;
        Ok(())
    }
}

impl Truth {
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Yes, Self::Yes) => Self::Yes,
        }
    }
}

pub(super) const BYTES_PER_STEP: usize = 32;
/// Each level is a frame or two on the stack.
const DEEPEST: usize = 300;
/// As many mistakes as anybody mends at once.
const MOST: usize = 16;
