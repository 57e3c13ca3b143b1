#include "icru63.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "kinematics.hpp"

namespace bb::physics {
namespace {

constexpr std::array<Element, 92> kElements{{
    {"H", 1, 1.008},    {"He", 2, 4.0026},  {"Li", 3, 6.94},    {"Be", 4, 9.0122},  {"B", 5, 10.81},
    {"C", 6, 12.011},   {"N", 7, 14.007},   {"O", 8, 15.999},   {"F", 9, 18.998},   {"Ne", 10, 20.180},
    {"Na", 11, 22.990}, {"Mg", 12, 24.305}, {"Al", 13, 26.982}, {"Si", 14, 28.085}, {"P", 15, 30.974},
    {"S", 16, 32.06},   {"Cl", 17, 35.45},  {"Ar", 18, 39.95},  {"K", 19, 39.098},  {"Ca", 20, 40.078},
    {"Sc", 21, 44.956}, {"Ti", 22, 47.867}, {"V", 23, 50.942},  {"Cr", 24, 51.996}, {"Mn", 25, 54.938},
    {"Fe", 26, 55.845}, {"Co", 27, 58.933}, {"Ni", 28, 58.693}, {"Cu", 29, 63.546}, {"Zn", 30, 65.38},
    {"Ga", 31, 69.723}, {"Ge", 32, 72.630}, {"As", 33, 74.922}, {"Se", 34, 78.971}, {"Br", 35, 79.904},
    {"Kr", 36, 83.798}, {"Rb", 37, 85.468}, {"Sr", 38, 87.62},  {"Y", 39, 88.906},  {"Zr", 40, 91.224},
    {"Nb", 41, 92.906}, {"Mo", 42, 95.95},  {"Tc", 43, 97.0},   {"Ru", 44, 101.07}, {"Rh", 45, 102.91},
    {"Pd", 46, 106.42}, {"Ag", 47, 107.87}, {"Cd", 48, 112.41}, {"In", 49, 114.82}, {"Sn", 50, 118.71},
    {"Sb", 51, 121.76}, {"Te", 52, 127.60}, {"I", 53, 126.90},  {"Xe", 54, 131.29}, {"Cs", 55, 132.91},
    {"Ba", 56, 137.33}, {"La", 57, 138.91}, {"Ce", 58, 140.12}, {"Pr", 59, 140.91}, {"Nd", 60, 144.24},
    {"Pm", 61, 145.0},  {"Sm", 62, 150.36}, {"Eu", 63, 151.96}, {"Gd", 64, 157.25}, {"Tb", 65, 158.93},
    {"Dy", 66, 162.50}, {"Ho", 67, 164.93}, {"Er", 68, 167.26}, {"Tm", 69, 168.93}, {"Yb", 70, 173.05},
    {"Lu", 71, 174.97}, {"Hf", 72, 178.49}, {"Ta", 73, 180.95}, {"W", 74, 183.84},  {"Re", 75, 186.21},
    {"Os", 76, 190.23}, {"Ir", 77, 192.22}, {"Pt", 78, 195.08}, {"Au", 79, 196.97}, {"Hg", 80, 200.59},
    {"Tl", 81, 204.38}, {"Pb", 82, 207.2},  {"Bi", 83, 208.98}, {"Po", 84, 209.0},  {"At", 85, 210.0},
    {"Rn", 86, 222.0},  {"Fr", 87, 223.0},  {"Ra", 88, 226.0},  {"Ac", 89, 227.0},  {"Th", 90, 232.04},
    {"Pa", 91, 231.04}, {"U", 92, 238.03},
}};

}  // namespace

const Element& element(const std::string& symbol) {
  const auto found = std::ranges::find_if(kElements, [&](const Element& e) { return symbol == e.symbol; });
  if (found == kElements.end()) throw std::invalid_argument("no element has the symbol " + symbol);
  return *found;
}

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kProtonWeight = 1.007276;  // u
constexpr int kElasticPoints = 36;          // 5, 10 … 180 degrees
constexpr double kElasticStep = 5.0;
constexpr double kMin_b = 1e-9;  // tabulated zeros are rounded; their logarithm is needed

/// One line of a table, split into fields.
class Row {
 public:
  Row(const std::string& line, std::string place) : place_(std::move(place)) {
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');) fields_.push_back(field);
  }
  std::size_t size() const { return fields_.size(); }
  const std::string& text(std::size_t i) const {
    if (i >= fields_.size()) refuse("a field is missing after " + std::to_string(fields_.size()));
    return fields_[i];
  }
  double number(std::size_t i) const {
    const std::string& field = text(i);
    double value = 0.0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size() || !(value >= 0.0) || !std::isfinite(value)) {
      refuse("field " + std::to_string(i + 1) + " is " + field + ", not a number from 0 up");
    }
    return value;
  }
  void expect(std::size_t count) const {
    if (size() != count) {
      refuse(std::to_string(size()) + " fields, not " + std::to_string(count));
    }
  }
  [[noreturn]] void refuse(const std::string& why) const { throw std::invalid_argument(place_ + ": " + why); }

 private:
  std::string place_;
  std::vector<std::string> fields_;
};

double mix(double a, double b, double f) { return a + f * (b - a); }

/// Integral over u by the trapezoidal rule.
double sum(const Spectrum& s) {
  double total = 0.5 * (s.front() + s.back());
  for (int i = 1; i + 1 < kEmissionPoints; ++i) total += s[static_cast<std::size_t>(i)];
  return total / (kEmissionPoints - 1);
}

double mean(const Spectrum& s) {
  Spectrum weighted = s;
  for (int i = 0; i < kEmissionPoints; ++i) weighted[static_cast<std::size_t>(i)] *= i / (kEmissionPoints - 1.0);
  return sum(weighted);
}

/// Slopes of the monotone cubic of Fritsch and Carlson through equally spaced values.
std::vector<double> monotone_slopes(const std::vector<double>& y) {
  std::vector<double> slopes(y.size(), 0.0);
  for (std::size_t i = 1; i + 1 < y.size(); ++i) {
    const double before = y[i] - y[i - 1], after = y[i + 1] - y[i];
    if (before * after > 0.0) slopes[i] = 2.0 * before * after / (before + after);
  }
  slopes.front() = y[1] - y[0];
  slopes.back() = y[y.size() - 1] - y[y.size() - 2];
  return slopes;
}

double hermite(double y0, double y1, double m0, double m1, double t) {
  const double t2 = t * t, t3 = t2 * t;
  return (2 * t3 - 3 * t2 + 1) * y0 + (t3 - 2 * t2 + t) * m0 + (3 * t2 - 2 * t3) * y1 + (t3 - t2) * m1;
}

constexpr std::array<double, 13> kEmissionAngles{0, 10, 20, 30, 40, 50, 60, 70, 90, 110, 130, 150, 180};  // degrees

/// Class of an angle: 0 is straight ahead, 1 … are the intervals of kAngleBounds, kAngleClasses + 1 is beyond them.
std::size_t angle_class(double degrees) {
  return static_cast<std::size_t>(std::ranges::upper_bound(kAngleBounds, degrees) - kAngleBounds.begin());
}

/// Shares of the classes in an emission, from its densities per steradian.
std::array<double, kAngleClasses + 2> emission_shares(const Row& row, std::size_t field) {
  constexpr int kParts = 180;
  std::array<double, kAngleClasses + 2> share{};
  double all = 0.0;
  std::size_t i = 0;
  for (int part = 0; part < kParts; ++part) {
    const double degrees = 180.0 * (part + 0.5) / kParts;
    while (degrees > kEmissionAngles[i + 1]) ++i;
    const double t = (degrees - kEmissionAngles[i]) / (kEmissionAngles[i + 1] - kEmissionAngles[i]);
    const double density = std::exp(mix(std::log(std::max(row.number(field + i), kMin_b)),
                                        std::log(std::max(row.number(field + i + 1), kMin_b)), t));
    const double weight = density * std::sin(degrees * kDegree);
    share[angle_class(degrees)] += weight;
    all += weight;
  }
  for (double& each : share) each /= all;
  return share;
}

/// Sums dσ/dΩ (b/sr, centre of mass) over the classes.
Deflection classify(const std::vector<double>& per_steradian, double nucleus) {
  std::vector<double> logarithm;
  for (const double value : per_steradian) logarithm.push_back(std::log(std::max(value, kMin_b)));
  const std::vector<double> slopes = monotone_slopes(logarithm);
  const double ratio = kProtonWeight / nucleus;
  constexpr int kParts = 50;  // per tabulated interval
  Deflection out;
  for (std::size_t i = 0; i + 1 < logarithm.size(); ++i) {
    for (int part = 0; part < kParts; ++part) {
      const double t = (part + 0.5) / kParts;
      const double angle = (static_cast<double>(i) + 1.0 + t) * kElasticStep * kDegree;
      const double density = std::exp(hermite(logarithm[i], logarithm[i + 1], slopes[i], slopes[i + 1], t));
      const double weight =
          2.0 * std::numbers::pi * density * std::sin(angle) * kElasticStep * kDegree / static_cast<double>(kParts);
      const double seen = std::atan2(std::sin(angle), std::cos(angle) + ratio) / kDegree;
      const std::size_t k = std::max<std::size_t>(angle_class(seen), 1) - 1;
      out.cross_section += weight;
      out.share[k] += weight;
      out.recoil[k] += weight * 2.0 * ratio / ((1.0 + ratio) * (1.0 + ratio)) * (1.0 - std::cos(angle));
    }
  }
  for (std::size_t k = 0; k < out.share.size(); ++k) {
    if (out.share[k] > 0.0) out.recoil[k] /= out.share[k];
    out.share[k] /= out.cross_section;
  }
  return out;
}

/// Neighbouring entries for an energy, and the weight of the upper one. Pointers are null below the table.
template <typename Entry>
struct NeighbouringEntries {
  const Entry* low = nullptr;
  const Entry* high = nullptr;
  double share = 0;  // weight of `high`
};

template <typename Entry>
NeighbouringEntries<Entry> neighbouring_entries(const std::vector<Entry>& table, double energy) {
  if (table.empty() || energy < table.front().energy) return {};
  const auto above = std::ranges::upper_bound(table, energy, {}, &Entry::energy);
  if (above == table.end()) return {&table.back(), &table.back(), 0.0};
  const auto below = above - 1;
  return {&*below, &*above, (energy - below->energy) / (above->energy - below->energy)};
}

}  // namespace

NuclearTable::NuclearTable(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    ++count;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    const Row row(line, name + ":" + std::to_string(count));
    const std::string& kind = row.text(0);
    const auto ascending = [&](const auto& table) {
      if (!table.empty() && row.number(1) <= table.back().energy) row.refuse("energies must be in ascending order");
    };
    if (kind == "element") {
      element_ = &element(row.text(1));
    } else if (kind == "inelastic") {
      row.expect(4);
      ascending(reactions_);
      reactions_.push_back({row.number(1), {.cross_section = row.number(2), .recoils = row.number(3)}});
    } else if (kind == "spectrum") {
      row.expect(4 + kEmissionPoints);
      if (reactions_.empty() || row.number(2) != reactions_.back().energy)
        row.refuse("the energy of this row differs from that of the preceding inelastic row");
      Spectrum spectrum{};
      for (std::size_t i = 0; i < spectrum.size(); ++i) spectrum[i] = row.number(4 + i);
      const double total = sum(spectrum);
      if (!(total > 0.0)) continue;
      for (double& value : spectrum) value *= row.number(3) / total;
      Emission& emission = reactions_.back().emission;
      if (row.text(1) == "proton") {
        emission.ahead = spectrum;  // until the "angles" line distributes it over the classes
      } else if (row.text(1) == "deuteron") {
        emission.deuterons = spectrum;
      } else if (row.text(1) == "alpha") {
        emission.alphas = mean(spectrum);
      } else {
        row.refuse("no such particle: " + row.text(1));
      }
    } else if (kind == "angles") {
      constexpr std::size_t kFields = 1 + kEmissionAngles.size();
      if (reactions_.empty() || row.number(1) != reactions_.back().energy)
        row.refuse("the energy of this row differs from that of the preceding inelastic row");
      if ((row.size() - 2) % kFields != 0) row.refuse("each energy needs 14 fields");
      Emission& emission = reactions_.back().emission;
      for (std::size_t field = 2; field < row.size(); field += kFields) {
        // The range is checked before the cast, which is undefined for values that an integer cannot represent.
        const double place = row.number(field);
        if (!(place < static_cast<double>(emission.ahead.size()))) row.refuse("no such energy: " + row.text(field));
        const auto i = static_cast<std::size_t>(place);
        const auto share = emission_shares(row, field + 1);
        const double number = emission.ahead[i];
        emission.ahead[i] = number * share.front();
        for (std::size_t k = 0; k < emission.aside.size(); ++k) emission.aside[k][i] = number * share[k + 1];
        emission.wide[i] = number * share.back();
      }
    } else if (kind == "elastic") {
      row.expect(2 + kElasticPoints);
      ascending(scattering_);
      if (element_ == nullptr) row.refuse("the first row must name the element");
      std::vector<double> values;
      for (std::size_t i = 0; i < kElasticPoints; ++i) values.push_back(row.number(2 + i));
      scattering_.push_back({row.number(1), classify(values, element_->weight)});
    } else {
      row.refuse("no such row: " + kind);
    }
  }
  if (element_ == nullptr || reactions_.empty() || scattering_.empty()) {
    throw std::invalid_argument(name + ": element, inelastic and elastic rows are needed");
  }
}

Emission NuclearTable::emission(double energy) const {
  const auto [low, high, f] = neighbouring_entries(reactions_, energy);
  if (low == nullptr) return {};
  const Emission &a = low->emission, &b = high->emission;
  Emission out;
  out.cross_section = mix(a.cross_section, b.cross_section, f);
  for (std::size_t i = 0; i < out.ahead.size(); ++i) {
    out.deuterons[i] = mix(a.deuterons[i], b.deuterons[i], f);
    out.ahead[i] = mix(a.ahead[i], b.ahead[i], f);
    out.wide[i] = mix(a.wide[i], b.wide[i], f);
    for (std::size_t k = 0; k < out.aside.size(); ++k) out.aside[k][i] = mix(a.aside[k][i], b.aside[k][i], f);
  }
  out.alphas = mix(a.alphas, b.alphas, f);
  out.recoils = mix(a.recoils, b.recoils, f);
  return out;
}

Deflection NuclearTable::deflection(double energy) const {
  const auto [low, high, f] = neighbouring_entries(scattering_, energy);
  if (low == nullptr) return {};
  const Deflection &a = low->deflection, &b = high->deflection;
  const double of_a = (1.0 - f) * a.cross_section, of_b = f * b.cross_section;
  Deflection out;
  out.cross_section = of_a + of_b;
  for (std::size_t k = 0; k < out.share.size(); ++k) {
    const double in_a = of_a * a.share[k], in_b = of_b * b.share[k];
    out.share[k] = (in_a + in_b) / out.cross_section;
    if (in_a + in_b > 0.0) out.recoil[k] = (in_a * a.recoil[k] + in_b * b.recoil[k]) / (in_a + in_b);
  }
  return out;
}

double NuclearTable::nonelastic(double energy) const {
  const auto at = neighbouring_entries(reactions_, energy);
  if (at.low == nullptr) return 0.0;
  return mix(at.low->emission.cross_section, at.high->emission.cross_section, at.share);
}

double NuclearTable::elastic(double energy) const {
  const auto at = neighbouring_entries(scattering_, energy);
  if (at.low == nullptr) return 0.0;
  return mix(at.low->deflection.cross_section, at.high->deflection.cross_section, at.share);
}

double collision_angle(double energy, double share) {
  const double twice = 2.0 * kProtonMass_MeV;
  return std::acos(std::sqrt(share * (energy + twice) / (share * energy + twice))) / kDegree;
}

double water_proton_proton(double energy) {
  return energy > 10.0 ? 0.315 * std::pow(energy, -1.126) + 3.78e-6 * energy : 0.0;
}

}  // namespace bb::physics
