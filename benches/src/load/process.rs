//! A process under load: what it has used.

use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// A program that is stopped when this is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
}

impl Process {
    /// Starts a program that says its address on its first line.
    pub fn listening(command: &mut Command) -> io::Result<(Self, SocketAddr)> {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let out = child.stdout.take().ok_or_else(|| io::Error::other("no output"))?;
        let process = Self { child };
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let addr = line.trim().trim_start_matches("http://").parse().map_err(io::Error::other)?;
        Ok((process, addr))
    }

    /// Starts a program that listens at a known address, and waits until it does.
    pub fn at(command: &mut Command, addr: SocketAddr) -> io::Result<Self> {
        let child = command.stdout(Stdio::null()).spawn()?;
        let process = Self { child };
        for _ in 0..100 {
            if std::net::TcpStream::connect(addr).is_ok() {
                return Ok(process);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(io::Error::other(format!("nobody listens at {addr}")))
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to end, and waits until it has.
    pub fn end(mut self) -> io::Result<ExitStatus> {
        terminate(&self.child)?;
        self.child.wait()
    }

    /// Time on a processor, of it and of its children.
    pub fn cpu(&self) -> Duration {
        let own = cpu(self.id());
        children(self.id()).into_iter().map(cpu).sum::<Duration>() + own
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        for child in children(self.id()) {
            let _ = Command::new("kill").arg(child.to_string()).status();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
fn terminate(child: &Child) -> io::Result<()> {
    use rustix::process::{Pid, Signal, kill_process};
    Ok(kill_process(Pid::from_child(child), Signal::TERM)?)
}

#[cfg(not(unix))]
fn terminate(_: &Child) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn cpu(id: u32) -> Duration {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let nanos = tasks.filter_map(|task| {
        let stat = fs::read_to_string(task.path().join("schedstat")).ok()?;
        stat.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanos.sum())
}

fn children(id: u32) -> Vec<u32> {
    let listed = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    listed.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}

/// Megabytes of memory in use, and the most that there were.
pub fn resident(id: u32) -> (f64, f64) {
    (megabytes(id, "VmRSS:"), megabytes(id, "VmHWM:"))
}

/// Of the memory of a process, what is not part of a file like the program itself, in megabytes.
pub fn own(id: u32) -> f64 {
    megabytes(id, "RssAnon:")
}

fn megabytes(id: u32, name: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1024.0
}
