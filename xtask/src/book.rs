//! `cargo xtask book`: builds `docs/` as a searchable book.

use crate::outcome::{Outcome, expect_no_arguments};
use crate::process::{cargo, output, program, run, target_dir};

const VERSION: &str = "0.5.4";

pub(crate) fn command(arguments: &[String]) -> Outcome {
    expect_no_arguments(arguments)?;
    let folder = target_dir().join("mdbook");
    let mdbook = folder.join("bin").join("mdbook");
    if !output(program(&mdbook).arg("--version")).is_ok_and(|line| line.contains(VERSION)) {
        println!("mdbook is missing: building it takes some minutes, once");
        run(cargo()
            .args(["install", "mdbook", "--locked", "--version", VERSION, "--root"])
            .arg(&folder))?;
    }
    let book = target_dir().join("book");
    run(program(&mdbook).arg("build").arg("--dest-dir").arg(&book))?;
    println!("{}", book.join("index.html").display());
    Ok(())
}
