package main

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	pb "simple-go/arenapb"
)

// A card is suit*13 + rank, with suits and ranks in the order of these strings.
type card int

const (
	ranks = "A23456789TJQK"
	suits = "CDHS"
)

// A cardSet has one bit for each of its cards.
type cardSet uint64

// oneRank is the set of the four aces; shifted by a rank, that rank's cards.
const oneRank cardSet = 1 | 1<<13 | 1<<26 | 1<<39

// choose returns one of the request's legal actions: take what makes a meld, drop the highest
// deadwood, knock as soon as possible.
func choose(request *pb.DecisionRequest) string {
	legal := request.LegalActions
	if request.Phase == pb.Phase_PHASE_DISCARD || request.Phase == pb.Phase_PHASE_WALL_KNOCK {
		if slices.Contains(legal, "big gin") {
			return "big gin"
		}
		return leastDeadwood(setOf(request.Cards), knocksIfAny(legal))
	}
	if len(legal) == 1 {
		return legal[0]
	}
	top := cardNamed(request.DiscardPile[len(request.DiscardPile)-1])
	// At the wall the last discard may be taken only to knock, so taking it ends the hand.
	if request.Phase == pb.Phase_PHASE_WALL || makesMeld(setOf(request.Cards), top) {
		return "draw discard"
	}
	if slices.Contains(legal, "draw stock") {
		return "draw stock"
	}
	return "pass"
}

func knocksIfAny(legal []string) []string {
	var knocks []string
	for _, action := range legal {
		if strings.HasPrefix(action, "knock") {
			knocks = append(knocks, action)
		}
	}
	if knocks == nil {
		return legal
	}
	return knocks
}

// makesMeld returns whether some set or run can be made of the offered card and the own ones.
func makesMeld(own cardSet, offered card) bool {
	held := own | 1<<offered
	if bits.OnesCount64(uint64(held&(oneRank<<offered.rank()))) >= 3 {
		return true
	}
	suit := held >> (13 * offered.suit()) & 0x1fff
	lowest := suit & (suit >> 1) & (suit >> 2)
	inRuns := lowest | lowest<<1 | lowest<<2
	return inRuns>>offered.rank()&1 == 1
}

// leastDeadwood returns the discard or knock that leaves the least deadwood. Of those that leave
// equally little it takes the card worth most points, then of the highest rank, then of the highest
// suit.
func leastDeadwood(hand cardSet, actions []string) string {
	return slices.MinFunc(actions, func(one, other string) int {
		a, b := discardOf(one), discardOf(other)
		return cmp.Or(
			cmp.Compare(deadwood(hand&^(1<<a)), deadwood(hand&^(1<<b))),
			cmp.Compare(b.points(), a.points()),
			cmp.Compare(b.rank(), a.rank()),
			cmp.Compare(b.suit(), a.suit()),
		)
	})
}

// deadwood returns the least deadwood points over all ways to meld the cards. The lowest card is
// unmatched, or the start of a run, or in a set: each is tried with what is left.
func deadwood(cards cardSet) int {
	if cards == 0 {
		return 0
	}
	lowest := card(bits.TrailingZeros64(uint64(cards)))
	best := lowest.points() + deadwood(cards&^(1<<lowest))
	run := cardSet(0)
	for c := lowest; c.suit() == lowest.suit() && cards>>c&1 == 1; c++ {
		run |= 1 << c
		if c-lowest >= 2 {
			best = min(best, deadwood(cards&^run))
		}
	}
	set := cards & (oneRank << lowest.rank())
	if bits.OnesCount64(uint64(set)) >= 3 {
		best = min(best, deadwood(cards&^set))
	}
	if bits.OnesCount64(uint64(set)) == 4 {
		for c := lowest + 13; c < 52; c += 13 {
			best = min(best, deadwood(cards&^set|1<<c))
		}
	}
	return best
}

// discardOf returns the card of "discard 7D" or "knock 7D".
func discardOf(action string) card {
	_, name, _ := strings.Cut(action, " ")
	return cardNamed(name)
}

func cardNamed(name string) card {
	return card(strings.IndexByte(suits, name[1])*13 + strings.IndexByte(ranks, name[0]))
}

func setOf(names []string) cardSet {
	var set cardSet
	for _, name := range names {
		set |= 1 << cardNamed(name)
	}
	return set
}

func (c card) rank() int   { return int(c) % 13 }
func (c card) suit() int   { return int(c) / 13 }
func (c card) points() int { return min(c.rank()+1, 10) }
