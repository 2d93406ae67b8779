import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { DecisionRequest } from "./arena/protocol/v1/bot.js";
import { type Card, cardNamed, choose, deadwood, makesMeld } from "./strategy.js";

function hand(cards: string): Card[] {
  return cards
    .split(" ")
    .map(cardNamed)
    .sort((one, other) => one - other);
}

test("keeps the tens and the jacks as sets: the run of hearts would leave more deadwood", () => {
  const file = new URL("../testdata/request.json", import.meta.url);
  const request = DecisionRequest.fromJSON(JSON.parse(readFileSync(file, "utf8")));
  assert.equal(choose(request), "knock 4C");
});

test("counts the least deadwood where sets and runs compete for cards", () => {
  assert.equal(deadwood(hand("4S 5S 6S 7S 8S 7H 7D KC KD KH")), 8);
  assert.equal(deadwood(hand("AC 2C 3C 4C 5D AH 3H 4H 5H 5S AD")), 7);
});

test("takes the ace as low only", () => {
  assert.ok(makesMeld(hand("2S 3S"), cardNamed("AS")));
  assert.ok(!makesMeld(hand("QS KS"), cardNamed("AS")));
});
