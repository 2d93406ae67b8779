// Plays Gin Rummy for the referee that started it.

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <utility>

#include "arena/protocol/v1/bot.grpc.pb.h"
#include "strategy.h"

namespace {

using arena::v1::BotMessage;
using arena::v1::DecisionRequest;
using arena::v1::RefereeMessage;
using Stream = grpc::ClientReaderWriter<BotMessage, RefereeMessage>;

constexpr const char* kName = "simple-cpp";
constexpr const char* kVersion = "1.0.0";
constexpr int kMatchesAtOnce = 16;
constexpr std::chrono::seconds kConnect{5};

// Ends the process with one line that says why. Nothing is unwound: the player's threads may be in
// the midst of a decision that nobody waits for any more.
[[noreturn]] void Fail(const std::string& reason) {
  std::cerr << kName << ": " << reason << std::endl;
  std::quick_exit(EXIT_FAILURE);
}

std::string Setting(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') {
    Fail(std::string(variable) + " is not set: the referee sets it when it starts a bot");
  }
  return value;
}

std::shared_ptr<grpc::Channel> Connect(const std::string& address) {
  grpc::ChannelArguments arguments;
  // A proxy in the environment cannot reach a referee on this machine.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Without pings, a referee whose machine vanished would be waited for without end.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  // The referee may begin to listen a moment after the bot was started.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  auto channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  if (!channel->WaitForConnected(std::chrono::system_clock::now() + kConnect)) {
    Fail("no referee answers at " + address);
  }
  return channel;
}

// Answers requests on threads of its own, so that those of other matches are read meanwhile.
class Player {
 public:
  explicit Player(Stream* stream) : stream_(stream) {
    for (int i = 0; i < kMatchesAtOnce; ++i) std::thread(&Player::Think, this).detach();
  }

  void Add(DecisionRequest request) {
    {
      const std::lock_guard lock(mutex_);
      requests_.push(std::move(request));
    }
    added_.notify_one();
  }

  void Send(const BotMessage& message) {
    const std::lock_guard lock(sending_);
    stream_->Write(message);
  }

 private:
  void Think() {
    while (true) {
      const DecisionRequest request = Next();
      BotMessage message;
      auto* decision = message.mutable_decision();
      decision->set_match_id(request.match_id());
      decision->set_request_id(request.request_id());
      decision->set_action(Choose(request));
      Send(message);
    }
  }

  DecisionRequest Next() {
    std::unique_lock lock(mutex_);
    added_.wait(lock, [this] { return !requests_.empty(); });
    DecisionRequest request = std::move(requests_.front());
    requests_.pop();
    return request;
  }

  Stream* stream_;
  std::mutex sending_;
  std::mutex mutex_;
  std::condition_variable added_;
  std::queue<DecisionRequest> requests_;
};

BotMessage Greeting(const std::string& token) {
  BotMessage message;
  auto* hello = message.mutable_hello();
  hello->set_protocol(1);
  hello->set_token(token);
  hello->set_name(kName);
  hello->set_version(kVersion);
  hello->set_max_matches(kMatchesAtOnce);
  hello->set_software("cpp with grpc++ " + grpc::Version());
  return message;
}

// Greets the referee and answers its requests, whichever of the matches they belong to.
void Play(Stream& stream, Player& player, const std::string& token) {
  player.Send(Greeting(token));
  RefereeMessage message;
  std::string refusal;
  while (stream.Read(&message)) {
    if (message.has_request()) {
      player.Add(std::move(*message.mutable_request()));
    } else if (message.has_refusal()) {
      refusal = message.refusal().reason();
    }
  }
  const grpc::Status status = stream.Finish();
  if (!refusal.empty()) Fail("refused: " + refusal);
  if (!status.ok()) Fail("the stream broke: " + status.error_message());
}

}  // namespace

int main() {
  const std::string address = Setting("ARENA_ADDRESS");
  const std::string token = Setting("ARENA_TOKEN");
  const auto stub = arena::v1::Arena::NewStub(Connect(address));
  grpc::ClientContext context;
  const auto stream = stub->Play(&context);
  Player player(stream.get());
  Play(*stream, player, token);
  std::quick_exit(EXIT_SUCCESS);
}
