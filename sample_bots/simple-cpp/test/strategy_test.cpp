#include "strategy.h"

#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace {

Cards Hand(const std::string& cards) {
  Cards hand = 0;
  std::istringstream words(cards);
  for (std::string name; words >> name;) hand |= Cards{1} << CardNamed(name);
  return hand;
}

TEST(Strategy, KeepsTensAndJacksAsSetsWhereTheRunWouldLeaveMore) {
  std::ifstream file(TESTDATA "/request.json");
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  arena::v1::DecisionRequest request;
  const auto status = google::protobuf::util::JsonStringToMessage(json, &request);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(Choose(request), "knock 4C");
}

TEST(Strategy, CountsTheLeastDeadwoodWhereSetsAndRunsCompete) {
  EXPECT_EQ(Deadwood(Hand("4S 5S 6S 7S 8S 7H 7D KC KD KH")), 8);
  EXPECT_EQ(Deadwood(Hand("AC 2C 3C 4C 5D AH 3H 4H 5H 5S AD")), 7);
}

TEST(Strategy, TakesTheAceAsLowOnly) {
  EXPECT_TRUE(MakesMeld(Hand("2S 3S"), CardNamed("AS")));
  EXPECT_FALSE(MakesMeld(Hand("QS KS"), CardNamed("AS")));
}

}  // namespace
