package bot;

import arena.v1.ArenaGrpc;
import arena.v1.Bot.DecisionRequest;
import arena.v1.Game.Phase;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Plays Gin Rummy for the referee that started it. */
public final class Main {
  static final String NAME = "simple-java";
  static final String VERSION = "1.0.0";
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration RETRY = Duration.ofMillis(50);

  // Held, because a logger that nobody holds forgets its level.
  private static final Logger GRPC_LOGGER = Logger.getLogger("io.grpc");

  private Main() {}

  public static void main(String[] args) throws InterruptedException {
    // It warns at every connection that a unix socket lacks an option of TCP.
    GRPC_LOGGER.setLevel(Level.SEVERE);
    // A bot whose strategy fails should end at once, with the stack trace, and not be waited for.
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, error) -> {
          error.printStackTrace();
          System.exit(1);
        });
    try {
      run();
    } catch (BotException error) {
      System.err.println(NAME + ": " + error.getMessage());
      System.exit(1);
    }
    System.exit(0);
  }

  /** Plays every match that the referee gives, until it ends the stream. */
  private static void run() throws BotException, InterruptedException {
    String address = setting("ARENA_ADDRESS");
    String token = setting("ARENA_TOKEN");
    warmUp();
    ManagedChannel channel = channel(address);
    connect(channel, address);
    Conversation conversation = new Conversation();
    conversation.begin(ArenaGrpc.newStub(channel), token);
    conversation.awaitEnd();
  }

  /** Decides once before the clock runs: the virtual machine loads classes at their first use. */
  private static void warmUp() {
    DecisionRequest.Builder request =
        DecisionRequest.newBuilder()
            .setPhase(Phase.PHASE_DISCARD)
            .addAllCards(List.of("AC 2C 3C 4C 4D 4H 4S 9D TD JD QS".split(" ")));
    request.getCardsList().forEach(card -> request.addLegalActions("discard " + card));
    Strategy.choose(request.build());
  }

  private static String setting(String variable) throws BotException {
    String value = System.getenv(variable);
    if (value == null || value.isEmpty()) {
      throw new BotException(variable + " is not set: the referee sets it when it starts a bot");
    }
    return value;
  }

  private static ManagedChannel channel(String address) {
    NettyChannelBuilder builder =
        address.startsWith("unix:")
            ? NettyChannelBuilder.forAddress(
                    UnixDomainSocketAddress.of(address.substring("unix:".length())))
                .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
                .eventLoopGroup(new NioEventLoopGroup(1))
                .overrideAuthority("localhost")
            : NettyChannelBuilder.forTarget("dns:///" + address);
    return builder
        .usePlaintext()
        // A proxy of the environment cannot reach a referee on this machine.
        .proxyDetector(target -> null)
        // Without pings, a referee whose machine vanished would be waited for without end.
        .keepAliveTime(20, TimeUnit.SECONDS)
        .build();
  }

  /** Connects, again and again: the referee may begin to listen a moment after the bot started. */
  private static void connect(ManagedChannel channel, String address)
      throws BotException, InterruptedException {
    long begun = System.nanoTime();
    while (channel.getState(true) != ConnectivityState.READY) {
      if (System.nanoTime() - begun > CONNECT.toNanos()) {
        throw new BotException("no referee answers at " + address);
      }
      channel.resetConnectBackoff();
      Thread.sleep(RETRY.toMillis());
    }
  }
}
