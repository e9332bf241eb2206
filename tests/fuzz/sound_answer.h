// What holds for every answer, whoever asks and whatever the policies are.
#pragma once

#include "decision/judge.h"

namespace driftbar::fuzz {

// Judges the request twice and requires of the answer what the API server does, and that nothing in it can
// mislead a terminal.
void requireSoundAnswer(const kube::Request& request, const decision::World& world);

}  // namespace driftbar::fuzz
