//! What the linker is told, where it can do that. Functions that run together lie together: the program touches
//! less memory when it starts, and less of the processor's caches for every request; `cargo xtask order` writes
//! which. And addresses that are only known at the start are listed in short, which is a megabyte less to read.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed={ORDER}");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let said = |name| env::var(name).unwrap_or_default();
    let is_linux = said("CARGO_CFG_TARGET_OS") == "linux" && said("TARGET") == said("HOST");
    if said("PROFILE") != "release" || !is_linux {
        return;
    }
    let order = Path::new(&said("CARGO_MANIFEST_DIR")).join(ORDER);
    let folder = said("OUT_DIR");
    let ordered = vec![
        format!("-Wl,--symbol-ordering-file={}", order.display()),
        // What is no longer there is no loss.
        "-Wl,--no-warn-symbol-ordering".to_owned(),
    ];
    // Who moves functions about afterwards cannot read such a list.
    let is_final = !said("CARGO_ENCODED_RUSTFLAGS").contains("--emit-relocs");
    let listed = is_final.then(|| vec!["-Wl,-z,pack-relative-relocs".to_owned()]);
    for arguments in [ordered].into_iter().chain(listed) {
        if runs(&arguments, Path::new(&folder)).unwrap_or(false) {
            for argument in arguments {
                println!("cargo::rustc-link-arg-bins={argument}");
            }
        }
    }
}

/// Whether the linker of this build takes these arguments, and what it makes of them can be started: not every
/// one does, and not everywhere.
fn runs(arguments: &[String], folder: &Path) -> std::io::Result<bool> {
    let source = folder.join("probe.rs");
    fs::write(&source, "fn main() {}")?;
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc.args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    let probe = folder.join("probe");
    rustc.arg(source).arg("-o").arg(&probe);
    let succeeds = |command: &mut Command| {
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().map(|status| status.success())
    };
    Ok(succeeds(&mut rustc)? && succeeds(&mut Command::new(probe))?)
}

const ORDER: &str = "order.txt";
