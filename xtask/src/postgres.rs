//! `cargo xtask postgres`: runs the tests of the store, and of gateways that share one, on a
//! temporary PostgreSQL; with `large` those that take long.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::apt;
use crate::outcome::Outcome;
use crate::process::{cargo, output, program, run};

/// A cluster in a temporary folder, which is stopped and removed on drop.
struct TestServer {
    bin: PathBuf,
    folder: PathBuf,
    /// The user of the server if xtask runs as root, because PostgreSQL refuses to run as root.
    run_as: Option<&'static str>,
    url: String,
}

pub(crate) fn command(arguments: &[String]) -> Outcome {
    let server = TestServer::start()?;
    // The long tests run one after the other, as some measure time.
    let (filter, arguments): (&[&str], _) = match arguments {
        [first, rest @ ..] if first == "large" => {
            (&["large::", "--nocapture", "--test-threads=1"], rest)
        }
        all => (&["postgres::"], all),
    };
    // The whole workspace, so that cargo reuses the build of the other tests.
    run(cargo()
        .args(["test", "--workspace", "--locked", "--test", "suite", "--test", "gateway", "--"])
        .arg("--ignored")
        .args(filter)
        .args(arguments)
        .env("INTERLINGUA_TEST_POSTGRES", &server.url)
        .env("INTERLINGUA_TEST_POSTGRES_CERTIFICATE", server.certificate()))
}

impl TestServer {
    fn start() -> Result<Self, String> {
        if find_bin_dir().is_none() {
            apt::install(&["postgresql"])?;
        }
        let bin = find_bin_dir().ok_or("initdb is not where PostgreSQL's packages put it")?;
        let is_root = output(program("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
        let folder = std::env::temp_dir().join(format!("interlingua-pg-{}", std::process::id()));
        let password = random_password()?;
        let port = free_port()?;
        let url = format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres");
        let server = Self { bin, folder, run_as: is_root.then_some("postgres"), url };
        server.init(&password)?;
        println!("starting PostgreSQL on port {port}, in {}", server.folder.display());
        // The data is temporary, so fsync is off.
        let settings = format!(
            "-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories= \
             -c fsync=off -c max_connections=300 -c ssl=on -c ssl_cert_file={} -c ssl_key_file={}",
            server.certificate().display(),
            server.key().display()
        );
        let log = server.folder.join("log");
        let mut start = server.program("pg_ctl");
        start.args(["start", "--wait", "--silent", "--options", &settings, "--log"]).arg(log);
        run(start.arg("--pgdata").arg(server.data()))?;
        Ok(server)
    }

    fn init(&self, password: &str) -> Outcome {
        let owner = self.run_as.map_or_else(Vec::new, |user| vec!["--owner", user]);
        run(program("install").args(["-d", "-m", "700"]).args(owner).arg(&self.folder))?;
        let secret = self.folder.join("password");
        crate::process::write(&secret, password)?;
        if let Some(user) = self.run_as {
            run(program("chown").arg(user).arg(&secret))?;
        }
        run(self
            .program("initdb")
            .args([
                "--no-sync",
                "--no-instructions",
                "--username",
                "postgres",
                "--encoding",
                "UTF8",
            ])
            .args(["--auth", "scram-sha-256", "--pwfile"])
            .arg(secret)
            .arg("--pgdata")
            .arg(self.data())
            .stdout(std::process::Stdio::null()))?;
        // A self-signed certificate that is not a CA.
        let mut certify = self.command(Path::new("openssl"));
        certify.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
        certify.args(["-nodes", "-days", "2", "-subj", "/CN=localhost"]);
        certify.args(["-addext", "subjectAltName=DNS:localhost"]);
        certify.args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"]);
        certify.arg(self.key()).arg("-out").arg(self.certificate());
        run(certify.stderr(std::process::Stdio::null()))
    }

    fn certificate(&self) -> PathBuf {
        self.folder.join("certificate.pem")
    }

    fn key(&self) -> PathBuf {
        self.folder.join("key.pem")
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// A program of PostgreSQL.
    fn program(&self, name: &str) -> Command {
        self.command(&self.bin.join(name))
    }

    /// A program, run as the user of the server.
    fn command(&self, path: &Path) -> Command {
        let mut command = match self.run_as {
            Some(user) => {
                let mut command = program("runuser");
                command.args(["-u", user, "--"]).arg(path);
                command
            }
            None => program(path),
        };
        command.current_dir(std::env::temp_dir());
        command
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if self.data().join("postmaster.pid").exists() {
            let mut stop = self.program("pg_ctl");
            stop.args(["stop", "--silent", "--mode", "immediate", "--pgdata"]).arg(self.data());
            if let Err(message) = run(&mut stop) {
                eprintln!("{message}");
            }
        }
        // A leftover stays in the temporary folder.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The folder with the programs of the newest installed PostgreSQL.
fn find_bin_dir() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok().into_iter().flatten().flatten();
    let mut candidates: Vec<(u32, PathBuf)> = versions
        .filter_map(|version| {
            let number = version.file_name().to_str()?.parse().ok()?;
            Some((number, version.path().join("bin")))
        })
        .collect();
    let paths = std::env::var_os("PATH").unwrap_or_default();
    candidates.extend(std::env::split_paths(&paths).map(|path| (0, path)));
    candidates.retain(|(_, bin)| has_programs(bin));
    candidates.into_iter().max_by_key(|(number, _)| *number).map(|(_, bin)| bin)
}

fn has_programs(bin: &Path) -> bool {
    ["initdb", "pg_ctl", "postgres"].iter().all(|name| bin.join(name).exists())
}

/// A random password, so that other users of the machine cannot connect.
fn random_password() -> Result<String, String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut bytes))
        .map_err(|error| format!("/dev/urandom: {error}"))?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind("127.0.0.1:0");
    let address = listener.and_then(|listener| listener.local_addr());
    address.map(|address| address.port()).map_err(|error| format!("no free port: {error}"))
}
