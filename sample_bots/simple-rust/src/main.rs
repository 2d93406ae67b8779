//! Plays Gin Rummy for the referee that started it.

mod strategy;

/// The bot protocol, generated from the files below `proto/`.
#[allow(clippy::large_enum_variant)]
mod arena {
    tonic::include_proto!("arena.v1");
}

use std::{env, process::ExitCode, time::Duration};

use arena::{
    BotMessage, Decision, DecisionRequest, Hello, arena_client::ArenaClient, bot_message,
    referee_message,
};
use tokio::{runtime::Runtime, sync::mpsc, task, time};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Status,
    transport::{Channel, Endpoint},
};

const NAME: &str = env!("CARGO_PKG_NAME");
const MATCHES_AT_ONCE: usize = 16;
const CONNECT: Duration = Duration::from_secs(5);
const RETRY: Duration = Duration::from_millis(100);
const KEEP_ALIVE: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    let runtime = Runtime::new().expect("the system refuses threads");
    let played = runtime.block_on(run());
    // A decision that nobody waits for any more must not hold the process.
    runtime.shutdown_background();
    match played {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{NAME}: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Plays every match that the referee gives, until it ends the stream.
async fn run() -> Result<(), String> {
    let address = setting("ARENA_ADDRESS")?;
    let token = setting("ARENA_TOKEN")?;
    let channel = connect(&address).await?;
    play(ArenaClient::new(channel), token).await
}

fn setting(variable: &str) -> Result<String, String> {
    match env::var(variable) {
        Ok(value) if !value.is_empty() => Ok(value),
        _ => Err(format!(
            "{variable} is not set: the referee sets it when it starts a bot"
        )),
    }
}

/// Connects, again and again: the referee may begin to listen a moment after the bot was started.
async fn connect(address: &str) -> Result<Channel, String> {
    let uri = if address.starts_with("unix:") {
        address.to_owned()
    } else {
        format!("http://{address}")
    };
    let endpoint = Endpoint::from_shared(uri)
        .map_err(|error| format!("ARENA_ADDRESS {address} cannot be used: {error}"))?
        // Without pings, a referee whose machine vanished would be waited for without end.
        .http2_keep_alive_interval(KEEP_ALIVE)
        .keep_alive_while_idle(true);
    let connected = async {
        loop {
            if let Ok(channel) = endpoint.connect().await {
                return channel;
            }
            time::sleep(RETRY).await;
        }
    };
    time::timeout(CONNECT, connected)
        .await
        .map_err(|_| format!("no referee answers at {address}"))
}

/// Greets the referee and answers its requests, whichever of the matches they belong to.
async fn play(mut client: ArenaClient<Channel>, token: String) -> Result<(), String> {
    let (sender, outbox) = mpsc::channel(MATCHES_AT_ONCE);
    let hello = message(bot_message::Kind::Hello(hello(token)));
    // A message that cannot be sent any more is one after the end of the stream.
    let _ = sender.send(hello).await;
    let response = client.play(ReceiverStream::new(outbox)).await;
    let mut inbox = response.map_err(broken)?.into_inner();
    while let Some(received) = inbox.message().await.map_err(broken)? {
        match received.kind {
            Some(referee_message::Kind::Request(request)) => {
                let sender = sender.clone();
                // The requests of other matches are read while this one is thought about.
                task::spawn_blocking(move || {
                    let _ = sender.blocking_send(message(decide(&request)));
                });
            }
            Some(referee_message::Kind::Refusal(refusal)) => {
                return Err(format!("refused: {}", refusal.reason));
            }
            _ => {}
        }
    }
    Ok(())
}

fn message(kind: bot_message::Kind) -> BotMessage {
    BotMessage { kind: Some(kind) }
}

fn hello(token: String) -> Hello {
    Hello {
        protocol: 1,
        token,
        name: NAME.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        max_matches: MATCHES_AT_ONCE as i32,
        software: "rust with tonic 0.14".to_owned(),
    }
}

fn decide(request: &DecisionRequest) -> bot_message::Kind {
    bot_message::Kind::Decision(Decision {
        match_id: request.match_id.clone(),
        request_id: request.request_id,
        action: strategy::choose(request).to_owned(),
        ..Decision::default()
    })
}

fn broken(status: Status) -> String {
    format!("the stream broke: {}", status.message())
}
