package bot;

import arena.v1.ArenaGrpc.ArenaStub;
import arena.v1.Bot.BotMessage;
import arena.v1.Bot.Decision;
import arena.v1.Bot.DecisionRequest;
import arena.v1.Bot.Hello;
import arena.v1.Bot.RefereeMessage;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** The stream: greets the referee and answers its requests, whichever match they belong to. */
final class Conversation implements StreamObserver<RefereeMessage> {
  private static final int MATCHES_AT_ONCE = 16;

  // The requests of other matches are read while one is thought about.
  private final Executor thinking = Executors.newCachedThreadPool();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private StreamObserver<BotMessage> referee;

  void begin(ArenaStub arena, String token) {
    synchronized (this) {
      referee = arena.play(this);
    }
    send(BotMessage.newBuilder().setHello(hello(token)));
  }

  /** Waits until the referee ends the stream. */
  void awaitEnd() throws BotException, InterruptedException {
    try {
      ended.get();
    } catch (ExecutionException error) {
      throw new BotException(error.getCause().getMessage());
    }
  }

  @Override
  public void onNext(RefereeMessage message) {
    switch (message.getKindCase()) {
      case REQUEST -> thinking.execute(() -> answer(message.getRequest()));
      case REFUSAL -> end("refused: " + message.getRefusal().getReason());
      default -> {}
    }
  }

  @Override
  public void onError(Throwable error) {
    end("the stream broke: " + Status.fromThrowable(error).getDescription());
  }

  @Override
  public void onCompleted() {
    ended.complete(null);
  }

  private void end(String reason) {
    ended.completeExceptionally(new BotException(reason));
  }

  private void answer(DecisionRequest request) {
    Decision.Builder decision =
        Decision.newBuilder()
            .setMatchId(request.getMatchId())
            .setRequestId(request.getRequestId())
            .setAction(Strategy.choose(request));
    send(BotMessage.newBuilder().setDecision(decision));
  }

  /** Sends a message; gRPC lets only one thread do so at a time. */
  private synchronized void send(BotMessage.Builder message) {
    referee.onNext(message.build());
  }

  private static Hello hello(String token) {
    return Hello.newBuilder()
        .setProtocol(1)
        .setToken(token)
        .setName(Main.NAME)
        .setVersion(Main.VERSION)
        .setMaxMatches(MATCHES_AT_ONCE)
        .setSoftware("java " + Runtime.version().feature() + ", grpc-java")
        .build();
  }
}
