// Package lifeline ends a program with the one that started it: the starter holds the writing end of a pipe that is
// our standard input, and however the starter ends, the kernel closes it. (PR_SET_PDEATHSIG would not do here: it
// follows the thread that forked, and a Go test's threads come and go.)
package lifeline

import (
	"io"
	"os"
)

// Flag is the name of the option by which a program is asked to Watch.
const Flag = "until-stdin-ends"

// Watch calls ended once, when standard input has ended.
func Watch(ended func()) {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // an error is an end, too
		ended()
	}()
}
