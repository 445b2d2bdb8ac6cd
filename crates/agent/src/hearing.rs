//! The events of a reply, as progress.

use interlingua::Text;
use interlingua::model::{Body, Delta, Event};

use crate::Progress;

/// Tells what is said and what is thought apart.
#[derive(Debug, Default)]
pub(crate) struct Hearing {
    open: Option<Voice>,
}

#[derive(Clone, Copy, Debug)]
enum Voice {
    Says,
    Thinks,
}

impl Hearing {
    pub(crate) fn hears(&mut self, event: &Event, tell: &mut (dyn FnMut(Progress<'_>) + Send)) {
        match event {
            Event::Open { block, .. } => match &block.body {
                Body::Text { text, .. } | Body::Refusal(text) => {
                    self.opens(Voice::Says, text, tell);
                }
                Body::Thinking(thinking) => self.opens(Voice::Thinks, &thinking.text, tell),
                _ => self.open = None,
            },
            Event::Delta { delta: Delta::Text(text), .. } => self.says(text, tell),
            Event::Close { .. } => self.open = None,
            _ => {}
        }
    }

    fn opens(&mut self, voice: Voice, text: &Text, tell: &mut (dyn FnMut(Progress<'_>) + Send)) {
        self.open = Some(voice);
        self.says(text, tell);
    }

    fn says(&self, text: &Text, tell: &mut (dyn FnMut(Progress<'_>) + Send)) {
        if text.is_empty() {
            return;
        }
        match self.open {
            Some(Voice::Says) => tell(Progress::Text(&text.contents())),
            Some(Voice::Thinks) => tell(Progress::Thinking(&text.contents())),
            None => {}
        }
    }
}
