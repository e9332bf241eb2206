// Package e2e tests the whole way of a request: kubectl, a real API server, the gate, and back to what a user sees.
// The control plane, its nodes and the gate come from package cluster; a file here is one thing that must work.
package e2e

import (
	"testing"

	"driftbar.io/tests/controlplane/cluster"
)

func TestMain(m *testing.M) { cluster.Main(m) }
