//! Compiling: a schema as it is written becomes forms. A list of what is left to do takes the place
//! of recursion, so that no nesting and no chain of references can exhaust the stack.

use std::collections::HashMap;

use interlingua_wire::{Kind, Node};

use super::Beyond;
use super::form::{At, Check, Form};
use super::keywords;
use super::pattern::Pattern;
use super::point::Pointer;

pub(super) fn forms(root: Node<'_>, cost: usize) -> Result<Vec<Form>, Beyond> {
    let mut compiler = Compiler {
        forms: Vec::new(),
        known: HashMap::new(),
        left: Vec::new(),
        pointer: Pointer::new(root),
        references: HashMap::new(),
        lone_references: is_old(root),
        cost,
    };
    compiler.form(root);
    while let Some((at, node)) = compiler.left.pop() {
        compiler.spend(1 + node.len())?;
        let form = match node.kind() {
            Kind::Object => keywords::form(&mut compiler, node)?,
            Kind::Bool if node.raw() == "false" => {
                Form { checks: vec![Check::Never], ..Form::default() }
            }
            Kind::Bool => Form::default(),
            Kind::Null | Kind::Number | Kind::String | Kind::Array if at == 0 => {
                return Err(Beyond::Unreadable);
            }
            Kind::Null | Kind::Number | Kind::String | Kind::Array => unknown(),
        };
        compiler.forms[at] = form;
    }
    Ok(compiler.forms)
}

pub(super) struct Compiler<'d> {
    forms: Vec<Form>,
    /// By where they stand in the text.
    known: HashMap<usize, At>,
    left: Vec<(At, Node<'d>)>,
    pointer: Pointer<'d>,
    references: HashMap<String, Option<At>>,
    /// In older drafts, nothing counts beside a reference.
    pub(super) lone_references: bool,
    cost: usize,
}

impl<'d> Compiler<'d> {
    /// The number of the form for a schema, which is compiled in its turn.
    pub(super) fn form(&mut self, node: Node<'d>) -> At {
        let next = self.forms.len();
        let at = *self.known.entry(node.range().start).or_insert(next);
        if at == next {
            self.forms.push(Form::default());
            self.left.push((at, node));
        }
        at
    }

    pub(super) fn forms_of(&mut self, list: Node<'d>) -> Result<Vec<At>, Beyond> {
        self.spend(list.len())?;
        Ok(list.items().map(|node| self.form(node)).collect())
    }

    /// The form that a reference leads to, if that is in here.
    pub(super) fn reference(&mut self, reference: &str) -> Result<Option<At>, Beyond> {
        if let Some(known) = self.references.get(reference) {
            return Ok(*known);
        }
        let found = self.pointer.find(reference);
        self.spend(1 + self.pointer.looked / FIELDS_PER_COST)?;
        self.pointer.looked %= FIELDS_PER_COST;
        let at = found.map(|node| self.form(node));
        self.references.insert(reference.to_owned(), at);
        Ok(at)
    }

    pub(super) fn pattern(&mut self, written: &str) -> Result<Option<Pattern>, Beyond> {
        self.spend(PATTERN + written.len() / BYTES_PER_COST)?;
        Ok(Pattern::compile(written))
    }

    pub(super) fn spend(&mut self, cost: usize) -> Result<(), Beyond> {
        self.cost = self.cost.checked_sub(cost).ok_or(Beyond::SchemaCost)?;
        Ok(())
    }
}

fn unknown() -> Form {
    Form { checks: vec![Check::Unknown], ..Form::default() }
}

/// Who says no draft and keeps definitions in their old place writes an old one.
fn is_old(root: Node<'_>) -> bool {
    let Some(draft) = root.get("$schema").map(Node::word) else {
        return root.get("definitions").is_some();
    };
    ["draft-03", "draft-04", "draft-06", "draft-07"].iter().any(|old| draft.contains(old))
}

const FIELDS_PER_COST: usize = 16;
const BYTES_PER_COST: usize = 8;
/// What compiling the smallest pattern costs.
const PATTERN: usize = 16;
