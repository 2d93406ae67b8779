package main

import (
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	pb "simple-go/arenapb"
)

// The tens and the jacks are kept as sets: the run of hearts would leave more deadwood.
func TestRecordedRequest(t *testing.T) {
	data, err := os.ReadFile("testdata/request.json")
	if err != nil {
		t.Fatal(err)
	}
	request := &pb.DecisionRequest{}
	if err := protojson.Unmarshal(data, request); err != nil {
		t.Fatal(err)
	}
	if got, want := choose(request), "knock 4C"; got != want {
		t.Errorf("choose() = %q, want %q", got, want)
	}
}

func TestDeadwood(t *testing.T) {
	for hand, want := range map[string]int{
		// The sevens cost the spades their upper end.
		"4S 5S 6S 7S 8S 7H 7D KC KD KH": 8,
		// Aces and fives cost the hearts their run.
		"AC 2C 3C 4C 5D AH 3H 4H 5H 5S AD": 7,
	} {
		if got := deadwood(setOf(strings.Fields(hand))); got != want {
			t.Errorf("deadwood(%s) = %d, want %d", hand, got, want)
		}
	}
}

func TestAceIsLowOnly(t *testing.T) {
	if !makesMeld(setOf([]string{"2S", "3S"}), cardNamed("AS")) {
		t.Error("ace, two, three must be a run")
	}
	if makesMeld(setOf([]string{"QS", "KS"}), cardNamed("AS")) {
		t.Error("queen, king, ace must not be a run")
	}
}
