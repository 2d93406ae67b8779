import type { DecisionRequest } from "./arena/protocol/v1/bot.js";
import { Phase } from "./arena/protocol/v1/game.js";

const RANKS = "A23456789TJQK";
const SUITS = "CDHS";

/** A card is suit * 13 + rank, with suits and ranks in the order of the strings above. */
export type Card = number;

/**
 * Returns one of the request's legal actions: take what makes a meld, drop the highest deadwood,
 * knock as soon as possible.
 */
export function choose(request: DecisionRequest): string {
  const legal = request.legalActions;
  const own = request.cards.map(cardNamed);
  if (request.phase === Phase.PHASE_DISCARD || request.phase === Phase.PHASE_WALL_KNOCK) {
    if (legal.includes("big gin")) {
      return "big gin";
    }
    const knocks = legal.filter((action) => action.startsWith("knock"));
    return leastDeadwood(own, knocks.length > 0 ? knocks : legal);
  }
  const [only, ...others] = legal;
  if (only !== undefined && others.length === 0) {
    return only;
  }
  // At the wall the last discard may be taken only to knock, so taking it ends the hand.
  const top = request.discardPile.at(-1);
  if (request.phase === Phase.PHASE_WALL || (top !== undefined && makesMeld(own, cardNamed(top)))) {
    return "draw discard";
  }
  return legal.includes("draw stock") ? "draw stock" : "pass";
}

/** Tells whether some set or run can be made of the offered card and the own ones. */
export function makesMeld(own: readonly Card[], offered: Card): boolean {
  const held = new Set([...own, offered]);
  const sameRank = [...held].filter((card) => rank(card) === rank(offered));
  let low = offered;
  while (held.has(low - 1) && suit(low - 1) === suit(offered)) {
    low--;
  }
  let high = offered;
  while (held.has(high + 1) && suit(high + 1) === suit(offered)) {
    high++;
  }
  return sameRank.length >= 3 || high - low >= 2;
}

/**
 * Returns the discard or knock that leaves the least deadwood. Of those that leave equally little
 * it takes the card worth most points, then of the highest rank, then of the highest suit.
 */
function leastDeadwood(own: readonly Card[], actions: readonly string[]): string {
  const candidates = actions.map((action) => {
    const card = cardNamed(action.split(" ")[1] ?? "");
    return { action, card, left: deadwood(without(own, [card])) };
  });
  const best = candidates.reduce((one, other) => {
    const order =
      one.left - other.left ||
      points(other.card) - points(one.card) ||
      rank(other.card) - rank(one.card) ||
      suit(other.card) - suit(one.card);
    return order <= 0 ? one : other;
  });
  return best.action;
}

/**
 * Returns the least deadwood points over all ways to meld the cards, which stand in ascending order.
 * The lowest card is unmatched, or the start of a run, or in a set: each is tried with what is left.
 */
export function deadwood(cards: readonly Card[]): number {
  const [lowest, ...others] = cards;
  if (lowest === undefined) {
    return 0;
  }
  const melds = [...runsFrom(lowest, others), ...setsWith(lowest, others)];
  const melded = melds.map((meld) => deadwood(without(cards, meld)));
  return Math.min(points(lowest) + deadwood(others), ...melded);
}

/** Returns the runs whose lowest card is the first one. */
function runsFrom(first: Card, others: readonly Card[]): Card[][] {
  const runs: Card[][] = [];
  const run = [first];
  for (let next = first + 1; suit(next) === suit(first) && others.includes(next); next++) {
    run.push(next);
    if (run.length >= 3) {
      runs.push([...run]);
    }
  }
  return runs;
}

/** Returns the sets that a card makes with others. */
function setsWith(first: Card, others: readonly Card[]): Card[][] {
  const same = others.filter((card) => rank(card) === rank(first));
  if (same.length === 3) {
    return [[first, ...same], ...same.map((left) => [first, ...without(same, [left])])];
  }
  return same.length === 2 ? [[first, ...same]] : [];
}

function without(cards: readonly Card[], dropped: readonly Card[]): Card[] {
  return cards.filter((card) => !dropped.includes(card));
}

export function cardNamed(name: string): Card {
  return SUITS.indexOf(name.charAt(1)) * 13 + RANKS.indexOf(name.charAt(0));
}

function rank(card: Card): number {
  return card % 13;
}

function suit(card: Card): number {
  return Math.floor(card / 13);
}

function points(card: Card): number {
  return Math.min(rank(card) + 1, 10);
}
