//! Compiles the protocol without protoc.

use std::{env, error::Error, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto");
    let files = protox::compile(["arena/protocol/v1/bot.proto"], ["proto"])?;
    // The tests read requests in protobuf's JSON mapping, which needs the messages' descriptors.
    let descriptors = protox::prost::Message::encode_to_vec(&files);
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("arena.bin"),
        descriptors,
    )?;
    tonic_prost_build::configure()
        .build_server(false)
        .compile_fds(files)?;
    Ok(())
}
