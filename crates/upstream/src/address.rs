//! Where a question is asked: the path and query of each dialect, joined to a provider's address.

use http::{Method, Uri};
use interlingua::Failure;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use url::{Position, Url};

use crate::Provider;
use crate::error::{Trouble, failure};

/// What is asked of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// A turn of the model.
    Turn { stream: bool },
    /// The number of tokens a request has.
    Count,
    /// Which models there are.
    Models,
}

/// What follows a base address; `{model}` stands for the model's name, a `?` starts a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paths {
    pub turn: &'static str,
    pub stream: &'static str,
    pub count: Option<&'static str>,
    pub models: Option<&'static str>,
}

impl Ask {
    pub fn method(self) -> Method {
        match self {
            Self::Turn { .. } | Self::Count => Method::POST,
            Self::Models => Method::GET,
        }
    }
}

impl Paths {
    fn of_ask(&self, ask: Ask) -> Option<&'static str> {
        match ask {
            Ask::Turn { stream: false } => Some(self.turn),
            Ask::Turn { stream: true } => Some(self.stream),
            Ask::Count => self.count,
            Ask::Models => self.models,
        }
    }
}

impl Provider {
    /// Whether the provider can be asked this.
    pub fn answers(&self, ask: Ask) -> bool {
        self.paths.of_ask(ask).is_some()
    }

    /// Whether it is asked at the same address for every model.
    pub(crate) fn has_one_address(&self, ask: Ask) -> bool {
        self.paths.of_ask(ask).is_some_and(|path| !path.contains(MODEL))
    }

    /// The address to ask at.
    pub(crate) fn address(&self, ask: Ask, model: &str) -> Result<Uri, Failure> {
        let Some(path) = self.paths.of_ask(ask) else {
            return Err(failure(&self.name, &Trouble::NotAsked));
        };
        let base = self.catalogue.as_ref().filter(|_| ask == Ask::Models).unwrap_or(&self.base);
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        // The name that lists and other paths give a model has the collection before it.
        let model = model.strip_prefix("models/").unwrap_or(model);
        if path.contains(MODEL) && matches!(model, "" | "." | "..") {
            return Err(failure(&self.name, &Trouble::NoModel));
        }
        let mut text = String::with_capacity(base.as_str().len() + path.len() + model.len());
        // Whoever wrote a name and password into the address did not mean them for a log.
        text.push_str(&base[..Position::BeforeUsername]);
        text.push_str(base[Position::BeforeHost..Position::AfterPath].trim_end_matches('/'));
        match path.split_once(MODEL) {
            None => text.push_str(path),
            Some((before, after)) => {
                text.push_str(before);
                text.extend(utf8_percent_encode(model, UNSAFE));
                text.push_str(after);
            }
        }
        let queries = [base.query().unwrap_or_default(), query].into_iter();
        for (nth, query) in queries.filter(|query| !query.is_empty()).enumerate() {
            text.push(if nth == 0 { '?' } else { '&' });
            text.push_str(query);
        }
        uri(base, text).ok_or_else(|| failure(&self.name, &Trouble::Address))
    }
}

pub(crate) fn as_uri(url: &Url) -> Option<Uri> {
    uri(url, url.as_str().to_owned())
}

/// An address at the host of another.
fn uri(url: &Url, text: String) -> Option<Uri> {
    let web = matches!(url.scheme(), "http" | "https");
    Uri::try_from(text).ok().filter(|uri| web && uri.authority().is_some())
}

const MODEL: &str = "{model}";

/// Everything but what no server or proxy on the way takes for something else.
const UNSAFE: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b':').remove(b'@');
