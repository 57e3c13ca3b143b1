#include "reproduce/value.hpp"

#include <string>

#include "check.hpp"

using bb::reproduce::parse;
using bb::reproduce::Value;

TEST("reproducer documents: numbers, texts, lists and objects are read as written") {
  const Value value = parse(R"({"a": [1, -2.5e3, 0], "b": [null, "t\u00e9\n"], "c": {"d": true}, "e": null})");
  CHECK_EQ(value.find("a")->numbers.size(), 3u);
  CHECK_EQ(value.find("a")->numbers[1], -2500.0);
  CHECK_EQ(value.find("b")->items[1].text, std::string("t\xc3\xa9\n"));
  CHECK_EQ(value.find("c")->find("d")->number, 1.0);
  CHECK(value.find("e") == nullptr);
}

TEST("reproducer documents: 64 levels are read, and more are rejected before they overflow the stack") {
  const std::string open(64, '['), close(64, ']');
  CHECK_EQ(parse(open + close).items.size(), 1u);
  CHECK_THROWS(parse("[" + open + close + "]"), "byte 64: expected at most 64 levels");
  CHECK_THROWS(parse(std::string(10'000'000, '[')), "at most 64 levels");
}

TEST("reproducer documents: invalid JSON is rejected with its byte offset") {
  for (const char* const text : {"nan", "inf", "-inf", "infinity", "-nan", "0x10", "1e999", "+1", "-", "", "[1 2]"}) {
    CHECK_THROWS(parse(text), "byte ");
  }
  CHECK_THROWS(parse(R"("\u12g4")"), "four hexadecimal digits");
  CHECK_THROWS(parse(R"("\u-123")"), "four hexadecimal digits");
  CHECK_THROWS(parse(R"("\u12)"), "expected an escape");
}
