// Properties: what must hold of the engine whatever the reference says.
#pragma once

#include <string>

#include "reference/chance.h"

namespace driftbar::reference {

// `require: C` is `deny: {not: C}`; the order of documents, of rules and of the lists of conditions means
// nothing; an update that changes nothing breaks nothing. Empty where all hold for the case, else what does
// not.
std::string brokenProperty(Chance& chance, const Row& world);

}  // namespace driftbar::reference
