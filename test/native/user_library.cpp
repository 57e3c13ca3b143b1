#include "cpu/user_library.hpp"

#include "check.hpp"
#include "cuda/temporary_folder.hpp"
#include "engine/problem_error.hpp"

using namespace bb;

TEST("an unsuitable user library is rejected by name, and without a library every variant is a shipped one") {
  const test::TemporaryFolder folder;
  CHECK_THROWS(cpu::use_user_library(folder.path() / "absent.so"), "absent.so cannot be loaded: ");
  CHECK_THROWS(cpu::use_user_library(folder.write("text.so", "no library")), "text.so cannot be loaded: ");
  CHECK(cpu::user_kernel_make("transport", "", "gather", 0) == nullptr);
}

TEST("the layout check distinguishes types of different size or alignment") {
  struct FirstVariant {
    double a;
    char b;
  };
  struct SecondVariant {
    float a;
    char b;
  };
  CHECK((cpu::layout_of<FirstVariant, int>() == cpu::layout_of<FirstVariant, int>()));
  CHECK((cpu::layout_of<FirstVariant, int>() != cpu::layout_of<SecondVariant, int>()));
  CHECK((cpu::layout_of<FirstVariant, int>() != cpu::layout_of<int, FirstVariant>()));
}
