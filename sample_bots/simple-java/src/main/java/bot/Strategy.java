package bot;

import arena.v1.Bot.DecisionRequest;
import arena.v1.Game.Phase;
import java.util.Comparator;
import java.util.List;

/**
 * The simple policy: take what makes a meld, drop the highest deadwood, knock as soon as possible.
 *
 * <p>A card is suit * 13 + rank, with suits and ranks in the order of the two strings below. A set
 * of cards has one bit for each of them.
 */
final class Strategy {
  private static final String RANKS = "A23456789TJQK";
  private static final String SUITS = "CDHS";

  /** The four aces; shifted by a rank, that rank's cards. */
  private static final long ONE_RANK = 1L | 1L << 13 | 1L << 26 | 1L << 39;

  private Strategy() {}

  /** Returns one of the request's legal actions. */
  static String choose(DecisionRequest request) {
    List<String> legal = request.getLegalActionsList();
    long own = cardsNamed(request.getCardsList());
    Phase phase = request.getPhase();
    if (phase == Phase.PHASE_DISCARD || phase == Phase.PHASE_WALL_KNOCK) {
      if (legal.contains("big gin")) {
        return "big gin";
      }
      List<String> knocks = legal.stream().filter(action -> action.startsWith("knock")).toList();
      return leastDeadwood(own, knocks.isEmpty() ? legal : knocks);
    }
    if (legal.size() == 1) {
      return legal.get(0);
    }
    int top = cardNamed(request.getDiscardPile(request.getDiscardPileCount() - 1));
    // At the wall the last discard may be taken only to knock, so taking it ends the hand.
    if (phase == Phase.PHASE_WALL || makesMeld(own, top)) {
      return "draw discard";
    }
    return legal.contains("draw stock") ? "draw stock" : "pass";
  }

  /** Tells whether some set or run can be made of the offered card and the own ones. */
  static boolean makesMeld(long own, int offered) {
    long held = own | 1L << offered;
    if (Long.bitCount(held & ONE_RANK << rank(offered)) >= 3) {
      return true;
    }
    long ofSuit = held >> 13 * suit(offered) & 0x1fff;
    long lowest = ofSuit & ofSuit >> 1 & ofSuit >> 2;
    long inRuns = lowest | lowest << 1 | lowest << 2;
    return (inRuns >> rank(offered) & 1) == 1;
  }

  /**
   * Returns the discard or knock that leaves the least deadwood. Of those that leave equally little
   * it takes the card worth most points, then of the highest rank, then of the highest suit.
   */
  private static String leastDeadwood(long hand, List<String> actions) {
    Comparator<Integer> dearest =
        Comparator.<Integer>comparingInt(Strategy::points)
            .thenComparingInt(Strategy::rank)
            .thenComparingInt(Strategy::suit)
            .reversed();
    Comparator<Integer> order =
        Comparator.<Integer>comparingInt(card -> deadwood(hand & ~(1L << card)))
            .thenComparing(dearest);
    return actions.stream().min(Comparator.comparing(Strategy::discardOf, order)).orElseThrow();
  }

  /**
   * Returns the least deadwood points over all ways to meld the cards. The lowest card is
   * unmatched, or the start of a run, or in a set: each is tried with what is left.
   */
  static int deadwood(long cards) {
    if (cards == 0) {
      return 0;
    }
    int lowest = Long.numberOfTrailingZeros(cards);
    int best = points(lowest) + deadwood(cards & ~(1L << lowest));
    long run = 0;
    for (int card = lowest; suit(card) == suit(lowest) && (cards >> card & 1) == 1; card++) {
      run |= 1L << card;
      if (card - lowest >= 2) {
        best = Math.min(best, deadwood(cards & ~run));
      }
    }
    long set = cards & ONE_RANK << rank(lowest);
    if (Long.bitCount(set) >= 3) {
      best = Math.min(best, deadwood(cards & ~set));
    }
    if (Long.bitCount(set) == 4) {
      for (int left = lowest + 13; left < 52; left += 13) {
        best = Math.min(best, deadwood(cards & ~set | 1L << left));
      }
    }
    return best;
  }

  /** Returns the card of "discard 7D" or "knock 7D". */
  private static int discardOf(String action) {
    return cardNamed(action.substring(action.indexOf(' ') + 1));
  }

  static int cardNamed(String name) {
    return SUITS.indexOf(name.charAt(1)) * 13 + RANKS.indexOf(name.charAt(0));
  }

  static long cardsNamed(List<String> names) {
    return names.stream().mapToLong(name -> 1L << cardNamed(name)).reduce(0, (a, b) -> a | b);
  }

  private static int rank(int card) {
    return card % 13;
  }

  private static int suit(int card) {
    return card / 13;
  }

  private static int points(int card) {
    return Math.min(rank(card) + 1, 10);
  }
}
