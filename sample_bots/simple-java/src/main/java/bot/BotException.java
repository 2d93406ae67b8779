package bot;

/** Why the bot cannot play, or cannot go on; the message is one line for its author. */
final class BotException extends Exception {
  private static final long serialVersionUID = 1L;

  BotException(String message) {
    super(message);
  }
}
