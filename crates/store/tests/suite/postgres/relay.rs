//! A cable that can be cut: between a store and its server, for tests of what happens without.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

pub(crate) struct Relay(watch::Sender<Cable>);

#[derive(Clone, Copy, PartialEq)]
enum Cable {
    Whole,
    /// Connections end, and new ones are refused.
    Cut,
    /// Nothing arrives any more, and nobody is told.
    Silent,
}

impl Relay {
    /// A way to this server, and its address.
    pub(crate) async fn to(url: &str) -> (Self, String) {
        let (_, place) = url.rsplit_once('@').unwrap();
        let server: Arc<str> = place.split('/').next().unwrap().into();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let here = listener.local_addr().unwrap().to_string();
        let (cable, seen) = watch::channel(Cable::Whole);
        tokio::spawn(listen(listener, Arc::clone(&server), seen));
        (Self(cable), url.replacen(&*server, &here, 1))
    }

    pub(crate) fn cut(&self, silent: bool) {
        self.0.send_replace(if silent { Cable::Silent } else { Cable::Cut });
    }

    /// A new cable: what was underway in the old one is lost.
    pub(crate) fn mend(&self) {
        self.0.send_replace(Cable::Whole);
    }
}

async fn listen(listener: TcpListener, server: Arc<str>, cable: watch::Receiver<Cable>) {
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(carry(client, Arc::clone(&server), cable.clone()));
    }
}

async fn carry(mut client: TcpStream, server: Arc<str>, mut cable: watch::Receiver<Cable>) {
    let state = *cable.borrow_and_update();
    if state == Cable::Whole {
        let Ok(mut server) = TcpStream::connect(&*server).await else { return };
        tokio::select! {
            _ = copy_bidirectional(&mut client, &mut server) => return,
            _ = cable.changed() => {}
        }
    }
    if *cable.borrow() == Cable::Silent {
        // The connection stays open, as far as this side is concerned.
        let _ = cable.changed().await;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
