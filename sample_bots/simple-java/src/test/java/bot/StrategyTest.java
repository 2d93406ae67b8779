package bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import arena.v1.Bot.DecisionRequest;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class StrategyTest {
  private static long hand(String cards) {
    return Strategy.cardsNamed(List.of(cards.split(" ")));
  }

  @Test
  void keepsTensAndJacksAsSetsWhereTheRunWouldLeaveMore() throws IOException {
    DecisionRequest.Builder request = DecisionRequest.newBuilder();
    JsonFormat.parser().merge(Files.readString(Path.of("testdata/request.json")), request);
    assertEquals("knock 4C", Strategy.choose(request.build()));
  }

  @Test
  void countsTheLeastDeadwoodWhereSetsAndRunsCompete() {
    assertEquals(8, Strategy.deadwood(hand("4S 5S 6S 7S 8S 7H 7D KC KD KH")));
    assertEquals(7, Strategy.deadwood(hand("AC 2C 3C 4C 5D AH 3H 4H 5H 5S AD")));
  }

  @Test
  void takesTheAceAsLowOnly() {
    assertTrue(Strategy.makesMeld(hand("2S 3S"), Strategy.cardNamed("AS")));
    assertFalse(Strategy.makesMeld(hand("QS KS"), Strategy.cardNamed("AS")));
  }
}
