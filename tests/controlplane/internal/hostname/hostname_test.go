package hostname

import "testing"

func TestChoose(t *testing.T) {
	alias := Name{Alias, "127.0.0.1", true}
	for _, row := range []struct {
		behaviour string
		own       string
		addresses []string
		want      Name
	}{
		{"own name on loopback is taken", "build7", []string{"127.0.0.1"}, Name{"build7", "127.0.0.1", false}},
		{"Debian maps its name to 127.0.1.1", "build7", []string{"127.0.1.1"}, Name{"build7", "127.0.1.1", false}},
		{"both families", "build7", []string{"::1", "127.0.0.1"}, Name{"build7", "127.0.0.1", false}},
		{"IPv6 loopback alone has nothing to listen on", "build7", []string{"::1"}, alias},
		{"one address out of loopback is one too many", "build7", []string{"127.0.0.1", "192.0.2.7"}, alias},
		{"unknown name", "build7", nil, alias},
		{"localhost would bring HTTP/2", "localhost", []string{"127.0.0.1"}, alias},
		{"a name below localhost", "a.localhost", []string{"127.0.0.1"}, alias},
		{"no DNS name", "build_7", []string{"127.0.0.1"}, alias},
	} {
		if got := choose(row.own, row.addresses); got != row.want {
			t.Errorf("%s: got %v, want %v", row.behaviour, got, row.want)
		}
	}
}
