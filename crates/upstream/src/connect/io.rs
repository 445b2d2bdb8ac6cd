//! The I/O object of an upstream connection, with a flag whether it ever responded.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// A TCP stream to a provider or a proxy.
#[derive(Debug)]
pub(crate) struct UpstreamIo {
    stream: TokioIo<TcpStream>,
    proxied: bool,
    responded: RespondedFlag,
}

/// Whether a response was received on a connection. It distinguishes an idle connection that the
/// server closed from one that never worked.
#[derive(Clone, Debug, Default)]
pub(crate) struct RespondedFlag(Arc<AtomicBool>);

impl RespondedFlag {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl UpstreamIo {
    pub(crate) fn new(stream: TokioIo<TcpStream>, proxied: bool) -> Self {
        Self { stream, proxied, responded: RespondedFlag::default() }
    }

    pub(crate) fn into_stream(self) -> TcpStream {
        self.stream.into_inner()
    }
}

impl Connection for UpstreamIo {
    fn connected(&self) -> Connected {
        Connected::new().proxy(self.proxied).extra(self.responded.clone())
    }
}

impl Read for UpstreamIo {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl Write for UpstreamIo {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }
}
