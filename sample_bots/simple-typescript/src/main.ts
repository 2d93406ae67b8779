import { readFileSync } from "node:fs";
import * as grpc from "@grpc/grpc-js";
import {
  ArenaClient,
  type BotMessage,
  type DecisionRequest,
  type RefereeMessage,
} from "./arena/protocol/v1/bot.js";
import { choose } from "./strategy.js";

const NAME = "simple-typescript";
const VERSION = "1.0.0";
const MATCHES_AT_ONCE = 16;
const CONNECT_MS = 5_000;

const CHANNEL_OPTIONS: grpc.ClientOptions = {
  // A proxy in the environment cannot reach a referee on this machine.
  "grpc.enable_http_proxy": 0,
  // Without pings, a referee whose machine vanished would be waited for without end.
  "grpc.keepalive_time_ms": 20_000,
  // The referee may begin to listen a moment after the bot was started.
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 500,
};

/** Why the bot cannot play, or cannot go on, in one line. */
class Ending extends Error {}

/** Plays every match that the referee gives, until it ends the stream. */
async function main(): Promise<void> {
  const address = setting("ARENA_ADDRESS");
  const token = setting("ARENA_TOKEN");
  const client = new ArenaClient(address, grpc.credentials.createInsecure(), CHANNEL_OPTIONS);
  try {
    await connect(client, address);
    await play(client.play(), token);
  } finally {
    client.close();
  }
}

function setting(variable: string): string {
  const value = process.env[variable];
  if (!value) {
    throw new Ending(`${variable} is not set: the referee sets it when it starts a bot`);
  }
  return value;
}

function connect(client: ArenaClient, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.waitForReady(Date.now() + CONNECT_MS, (error) =>
      error ? reject(new Ending(`no referee answers at ${address}`)) : resolve(),
    );
  });
}

/** Greets the referee and answers its requests, whichever of the matches they belong to. */
async function play(
  stream: grpc.ClientDuplexStream<BotMessage, RefereeMessage>,
  token: string,
): Promise<void> {
  stream.write(hello(token));
  try {
    for await (const { kind } of stream as AsyncIterable<RefereeMessage>) {
      if (kind?.$case === "request") {
        stream.write(answer(kind.value));
      } else if (kind?.$case === "refusal") {
        throw new Ending(`refused: ${kind.value.reason}`);
      }
    }
  } catch (error) {
    throw isServiceError(error) ? new Ending(`the stream broke: ${error.details}`) : error;
  }
}

function hello(token: string): BotMessage {
  const value = {
    protocol: 1,
    token,
    name: NAME,
    version: VERSION,
    maxMatches: MATCHES_AT_ONCE,
    software: `typescript on node ${process.versions.node}, grpc-js ${grpcVersion()}`,
  };
  return { kind: { $case: "hello", value } };
}

function grpcVersion(): string {
  const path = new URL(import.meta.resolve("@grpc/grpc-js/package.json"));
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}

function answer(request: DecisionRequest): BotMessage {
  const value = {
    matchId: request.matchId,
    requestId: request.requestId,
    action: choose(request),
    melds: [],
    layoffs: [],
    note: "",
  };
  return { kind: { $case: "decision", value } };
}

function isServiceError(error: unknown): error is grpc.ServiceError {
  return error instanceof Error && "details" in error;
}

main().catch((error: unknown) => {
  // An error of the strategy itself ends the process with its stack trace.
  console.error(error instanceof Ending ? `${NAME}: ${error.message}` : error);
  process.exitCode = 1;
});
