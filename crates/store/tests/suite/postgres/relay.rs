//! A TCP relay between a store and its server; tests can cut or silence its connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

pub(crate) struct Relay {
    link: watch::Sender<LinkState>,
    /// Forward the next COMMIT, and close the connection before its reply.
    drop_commit_reply: Arc<AtomicBool>,
}

#[derive(Clone, Copy, PartialEq)]
enum LinkState {
    Up,
    /// Connections are closed, and new ones are rejected.
    Closed,
    /// Connections stay open, but transfer nothing.
    Silent,
}

impl Relay {
    /// Starts a relay to the server in `url`; returns it with the URL through it.
    pub(crate) async fn to(url: &str) -> (Self, String) {
        let (_, host) = url.rsplit_once('@').unwrap();
        let server: Arc<str> = host.split('/').next().unwrap().into();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let relay_address = listener.local_addr().unwrap().to_string();
        let (link_tx, link_rx) = watch::channel(LinkState::Up);
        let drop_reply = Arc::<AtomicBool>::default();
        tokio::spawn(listen(listener, Arc::clone(&server), link_rx, Arc::clone(&drop_reply)));
        (
            Self { link: link_tx, drop_commit_reply: drop_reply },
            url.replacen(&*server, &relay_address, 1),
        )
    }

    pub(crate) fn cut(&self, is_silent: bool) {
        self.link.send_replace(if is_silent { LinkState::Silent } else { LinkState::Closed });
    }

    /// Accepts connections again; bytes in flight are lost.
    pub(crate) fn restore(&self) {
        self.link.send_replace(LinkState::Up);
    }

    pub(crate) fn drop_next_commit_reply(&self) {
        self.drop_commit_reply.store(true, Ordering::Relaxed);
    }
}

async fn listen(
    listener: TcpListener,
    server: Arc<str>,
    link_state: watch::Receiver<LinkState>,
    drop_reply: Arc<AtomicBool>,
) {
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(relay_connection(
            client,
            Arc::clone(&server),
            link_state.clone(),
            Arc::clone(&drop_reply),
        ));
    }
}

async fn relay_connection(
    mut client: TcpStream,
    server: Arc<str>,
    mut link_state: watch::Receiver<LinkState>,
    drop_reply: Arc<AtomicBool>,
) {
    let state = *link_state.borrow_and_update();
    if state == LinkState::Up {
        let Ok(mut server) = TcpStream::connect(&*server).await else { return };
        tokio::select! {
            () = copy_both_ways(&mut client, &mut server, &drop_reply) => return,
            _ = link_state.changed() => {}
        }
    }
    if *link_state.borrow() == LinkState::Silent {
        // The client's connection stays open.
        let _ = link_state.changed().await;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn copy_both_ways(client: &mut TcpStream, server: &mut TcpStream, drop_reply: &AtomicBool) {
    let (mut from_client, mut from_server) = ([0; 4096], [0; 4096]);
    loop {
        let result = tokio::select! {
            read = client.read(&mut from_client) => {
                let Ok(length @ 1..) = read else { return };
                let request = &from_client[..length];
                let has_commit = request.windows(6).any(|part| part == b"COMMIT");
                let passed = server.write_all(request).await;
                if has_commit && drop_reply.swap(false, Ordering::Relaxed) {
                    // Give the server time to commit.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    return;
                }
                passed
            }
            read = server.read(&mut from_server) => {
                let Ok(length @ 1..) = read else { return };
                client.write_all(&from_server[..length]).await
            }
        };
        if result.is_err() {
            return;
        }
    }
}
