// Package etcd runs one etcd server in this process, on loopback, with everything in one folder. Nothing is synced
// to the disk: a control plane for tests is never restarted over its data.
package etcd

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
)

// Server is a running etcd; URL is what the API server is given.
type Server struct {
	URL  string
	etcd *embed.Etcd
}

// Start returns when the server is ready, or when ctx ends. The caller closes what it is given.
func Start(ctx context.Context, dir string, clientPort, peerPort int) (*Server, error) {
	client, peer := loopback(clientPort), loopback(peerPort)
	config := embed.NewConfig()
	config.Dir = filepath.Join(dir, "etcd")
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.LogLevel, config.LogOutputs = "error", []string{filepath.Join(dir, "etcd.log")}
	config.UnsafeNoFsync = true
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	server := &Server{URL: client.String(), etcd: etcd}
	select {
	case <-etcd.Server.ReadyNotify():
		return server, nil
	case err := <-etcd.Err():
		server.Close()
		return nil, fmt.Errorf("etcd: %w", err)
	case <-ctx.Done():
		server.Close()
		return nil, context.Cause(ctx)
	}
}

// Close ends the server.
func (s *Server) Close() { s.etcd.Close() }

func loopback(port int) url.URL {
	return url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", port)}
}
