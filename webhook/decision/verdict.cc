#include "decision/verdict.h"

#include <algorithm>

#include "base/text.h"

namespace driftbar::decision {
namespace {

// Longer ones still arrive, but kubectl's users read one line: no more nodes or places are named than fit.
constexpr std::size_t kWarningAim = 120;
// What to do is worth a second line, but not being cut off: the API server may do so from here on.
constexpr std::size_t kWarningCut = 256;

std::string joined(const Detail& detail) {
  return detail.join.empty() ? detail.text : std::string(detail.join) + " " + detail.text;
}

std::string line(const Detail& detail, std::size_t width) {
  if (detail.subject.empty()) return "\n  " + joined(detail);
  const auto padding = width - characters(detail.subject);
  return "\n  " + detail.subject + std::string(padding, ' ') + "  " + joined(detail);
}

std::string paragraph(const Finding& finding) {
  std::string out = finding.rule + ": " + finding.sentence;
  std::size_t width = 0;
  for (const auto& detail : finding.details) width = std::max(width, characters(detail.subject));
  for (const auto& detail : finding.details) out += line(detail, width);
  if (finding.more > 0) out += "\n  and " + std::to_string(finding.more) + " more";
  for (const auto& why : finding.unsure) out += "\n  " + why;
  if (!finding.fix.empty()) out += "\n  fix: " + finding.fix;
  if (!finding.docs.empty()) out += "\n  docs: " + finding.docs;
  return out;
}

// `: gpu-07 (label x is "y")`, or as many bare names as fit the aim.
std::string subjects(const Finding& finding, std::size_t used) {
  const auto total = finding.details.size() + finding.more;
  if (total == 1) {
    const auto& only = finding.details[0];
    return ": " + (only.subject.empty() ? only.text : only.subject + " (" + only.text + ")");
  }
  std::string out;
  std::size_t named = 0;
  for (const auto& detail : finding.details) {
    const std::string& word = detail.subject.empty() ? detail.text : detail.subject;
    if (named > 0 && used + characters(out) + characters(word) + 12 > kWarningAim) break;
    out += (named == 0 ? ": " : ", ") + word;
    ++named;
  }
  if (named == 0 || named == total) return out;
  const std::string more = std::to_string(total - named) + " more";
  return out + (finding.details[0].join.empty() ? " and " + more : " (or mend " + more + ")");
}

std::string warning(const Finding& finding) {
  std::string out = finding.rule + ": " + finding.sentence;
  out += subjects(finding, characters(out));
  for (const auto& why : finding.unsure) out += "; " + why;
  if (const std::string fix = "; fix: " + finding.fix;
      !finding.fix.empty() && out.size() + fix.size() <= kWarningCut)
    out += fix;
  return out;
}

}  // namespace

std::string refusal(const Verdict& verdict) {
  std::string out;
  for (const auto& finding : verdict.refused) out += (out.empty() ? "" : "\n") + paragraph(finding);
  return out;
}

std::vector<std::string> warnings(const Verdict& verdict) {
  std::vector<std::string> out;
  for (const auto& finding : verdict.warned) out.push_back(warning(finding));
  out.insert(out.end(), verdict.notes.begin(), verdict.notes.end());
  if (!verdict.untemplated.empty()) out.push_back(verdict.untemplated);
  return out;
}

}  // namespace driftbar::decision
