//! As much HTTP as a load needs: one connection that is kept, whole and chunked answers.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::Shot;

#[derive(Debug)]
pub struct Connection {
    stream: BufReader<TcpStream>,
    host: SocketAddr,
    /// The other side closes it.
    over: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Answered {
    pub status: u16,
    /// Until the first byte of the body.
    pub first: Duration,
    pub bytes: u64,
}

impl Connection {
    pub fn open(at: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(at)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_mins(1)))?;
        Ok(Self { stream: BufReader::with_capacity(64 * 1024, stream), host: at, over: false })
    }

    /// Asks, and throws away what is answered.
    pub fn ask(&mut self, shot: &Shot, began: Instant) -> io::Result<Answered> {
        self.send(shot)?;
        self.answer(began, &mut io::sink())
    }

    /// Asks, and gives what is answered.
    pub fn hear(&mut self, shot: &Shot) -> io::Result<Vec<u8>> {
        self.send(shot)?;
        let mut heard = Vec::new();
        match self.answer(Instant::now(), &mut heard)?.status {
            200 => Ok(heard),
            status => Err(io::Error::other(format!("status {status}"))),
        }
    }

    fn send(&mut self, shot: &Shot) -> io::Result<()> {
        if self.over {
            *self = Self::open(self.host)?;
        }
        let Shot { path, headers, body } = shot;
        let (host, length) = (self.host, body.len());
        let mut request = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n{headers}\r\n"
        )
        .into_bytes();
        request.extend_from_slice(body);
        self.stream.get_mut().write_all(&request)
    }

    fn answer(&mut self, began: Instant, out: &mut impl io::Write) -> io::Result<Answered> {
        let mut line = String::new();
        self.line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| io::Error::other("no status"))?;
        let (mut length, mut chunked) = (0_u64, false);
        loop {
            self.line(&mut line)?;
            let lower = line.to_ascii_lowercase();
            match lower.split_once(':') {
                Some(("content-length", value)) => {
                    length = value.trim().parse().map_err(io::Error::other)?;
                }
                Some(("transfer-encoding", _)) => chunked = true,
                Some(("connection", value)) => self.over = value.trim() == "close",
                _ if lower.is_empty() => break,
                _ => {}
            }
        }
        self.stream.fill_buf()?;
        let first = began.elapsed();
        let bytes = if chunked { self.chunks(&mut line, out)? } else { self.take(length, out)? };
        Ok(Answered { status, first, bytes })
    }

    fn chunks(&mut self, line: &mut String, out: &mut impl io::Write) -> io::Result<u64> {
        let mut bytes = 0;
        loop {
            self.line(line)?;
            let size = u64::from_str_radix(line, 16).map_err(io::Error::other)?;
            bytes += self.take(size, out)?;
            self.line(line)?;
            if size == 0 {
                return Ok(bytes);
            }
        }
    }

    fn take(&mut self, length: u64, out: &mut impl io::Write) -> io::Result<u64> {
        io::copy(&mut self.stream.by_ref().take(length), out)
    }

    /// The next line, without its end.
    fn line(&mut self, line: &mut String) -> io::Result<()> {
        line.clear();
        if self.stream.read_line(line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line.truncate(line.trim_end().len());
        Ok(())
    }
}
