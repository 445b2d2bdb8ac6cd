//! Reads the imports, definitions and paths of a Rust file, as text.

use std::collections::BTreeSet;

use super::super::strip::strip_non_code;

/// What a module says of names; a file has one module, and one more for each `mod name { … }`.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// From the root of the crate.
    pub(super) path: Vec<String>,
    pub(super) imports: Vec<Import>,
    pub(super) definitions: BTreeSet<String>,
    /// Paths in the code, each with its line; single names, too.
    pub(super) uses: Vec<(Vec<String>, usize)>,
}

/// One name of a `use` declaration.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) path: Vec<String>,
    /// The name in this module; `*` for all names.
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) is_public: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    text: String,
    line: usize,
}

/// The modules of a file, without those that only tests have.
pub(super) fn modules(path: &[String], text: &str) -> Vec<Module> {
    let tokens = without_tests(&tokens(&strip_non_code(text)));
    let mut reader = Reader { tokens: &tokens, at: 0 };
    let mut modules = Vec::new();
    reader.read_module(path.to_vec(), &mut modules);
    modules
}

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
}

impl Reader<'_> {
    /// Reads until the brace that closes the module.
    fn read_module(&mut self, path: Vec<String>, modules: &mut Vec<Module>) {
        let mut module = Module { path, ..Module::default() };
        let mut depth = 0_usize;
        while let Some(token) = self.tokens.get(self.at) {
            let line = token.line;
            self.at += 1;
            match token.text.as_str() {
                "{" => depth += 1,
                "}" if depth == 0 => break,
                "}" => depth -= 1,
                "use" if self.peek() != "<" => {
                    let is_public = self.is_after_visibility();
                    let mut names = Vec::new();
                    self.read_use_tree(&mut Vec::new(), &mut names);
                    module.imports.extend(names.into_iter().map(|(path, name)| Import {
                        path,
                        name,
                        line,
                        is_public,
                    }));
                }
                "mod" if self.peek_at(1) == "{" => {
                    let name = self.peek().to_owned();
                    self.at += 2;
                    let inner = module.path.iter().cloned().chain([name]).collect();
                    self.read_module(inner, modules);
                }
                // Not the lifetime `'static`, whose quote may be left out.
                "static" if self.is_after_any(&["'", "&", "<", "+", ":", ","]) => {}
                "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static"
                | "mod" => {
                    module.definitions.insert(self.peek().to_owned());
                }
                "macro_rules" => {
                    module.definitions.insert(format!("{}!", self.peek_at(1)));
                }
                word if is_word(word) => self.read_path(word, line, &mut module),
                _ => {}
            }
        }
        modules.push(module);
    }

    /// Reads `a::b::{c, d as e, f::*}` up to its end.
    fn read_use_tree(&mut self, prefix: &mut Vec<String>, names: &mut Vec<(Vec<String>, String)>) {
        let outer = prefix.len();
        while let Some(token) = self.tokens.get(self.at) {
            self.at += 1;
            match token.text.as_str() {
                "::" => {}
                "{" => {
                    while self.peek() != "}" && self.at < self.tokens.len() {
                        self.read_use_tree(prefix, names);
                        if self.peek() == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    break;
                }
                "*" => {
                    names.push((prefix.clone(), "*".to_owned()));
                    break;
                }
                word => {
                    // `a::{self}` is `a`.
                    if word != "self" || prefix.is_empty() {
                        prefix.push(word.to_owned());
                    }
                    if self.peek() != "::" {
                        let last = prefix.last().cloned().unwrap_or_default();
                        let name =
                            if self.peek() == "as" { self.peek_at(1).to_owned() } else { last };
                        self.at += if self.peek() == "as" { 2 } else { 0 };
                        names.push((prefix.clone(), name));
                        break;
                    }
                }
            }
        }
        prefix.truncate(outer);
    }

    /// Reads the rest of `first::second::…`; names after a dot are fields and methods.
    fn read_path(&mut self, first: &str, line: usize, module: &mut Module) {
        let is_member =
            self.at >= 2 && matches!(self.tokens[self.at - 2].text.as_str(), "." | "::");
        let mut path = vec![first.to_owned()];
        while self.peek() == "::" && is_word(self.peek_at(1)) {
            path.push(self.peek_at(1).to_owned());
            self.at += 2;
        }
        // A macro is not the function of the same name.
        if self.peek() == "!"
            && matches!(self.peek_at(1), "(" | "[" | "{")
            && let Some(name) = path.last_mut()
        {
            name.push('!');
        }
        if !is_member {
            module.uses.push((path, line));
        }
    }

    /// Whether `pub` or `pub(crate)` stands before the token that was read last.
    fn is_after_visibility(&self) -> bool {
        let before =
            |back: usize| self.at.checked_sub(back).map(|at| self.tokens[at].text.as_str());
        matches!(before(2), Some("pub" | ")"))
    }

    /// Whether one of these stands before the token that was read last.
    fn is_after_any(&self, texts: &[&str]) -> bool {
        self.at.checked_sub(2).is_some_and(|at| texts.contains(&self.tokens[at].text.as_str()))
    }

    fn peek(&self) -> &str {
        self.peek_at(0)
    }

    fn peek_at(&self, offset: usize) -> &str {
        self.tokens.get(self.at + offset).map_or("", |token| &token.text)
    }
}

/// Words, `::`, and all other characters one by one.
fn tokens(code: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (number, line) in code.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let word =
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let length = if word > 0 {
                word
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            tokens.push(Token { text: rest[..length].to_owned(), line: number + 1 });
            rest = rest[length..].trim_start();
        }
    }
    tokens
}

/// Leaves out each item with `#[cfg(test)]`.
fn without_tests(tokens: &[Token]) -> Vec<Token> {
    const CFG_TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let here = tokens[at..].iter().take(CFG_TEST.len()).map(|token| token.text.as_str());
        if !here.eq(CFG_TEST) {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let mut depth = 0_usize;
        for token in &tokens[at..] {
            at += 1;
            match token.text.as_str() {
                "{" => depth += 1,
                "}" if depth == 1 => break,
                "}" => depth -= 1,
                ";" if depth == 0 => break,
                _ => {}
            }
        }
    }
    kept
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}
