package embedded

import (
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// natsSpaceCheck is the interval at which a server checks for free space after the disk was full.
const natsSpaceCheck = time.Second

// fullDisk reports whether a line of the server's log says that the disk is full.
func fullDisk(line string) bool {
	return strings.Contains(line, syscall.ENOSPC.Error()) || strings.Contains(line, syscall.EDQUOT.Error())
}

// recoverSpace runs until Close. It restarts JetStream once a full disk has free space again. Without a
// restart, a stream whose write failed would reject all messages, because the server keeps the first
// write error.
func (n *NATS) recoverSpace() {
	defer close(n.recovered)
	check := time.NewTicker(natsSpaceCheck)
	defer check.Stop()
	full := false
	for {
		select {
		case <-n.closing:
			return
		case <-n.log.full:
			full = true
		case <-check.C:
			if full && CheckSpace(n.jetStream.StoreDir) == nil {
				full = !n.restartJetStream()
			}
		}
	}
}

// restartJetStream recovers the streams from disk. It disconnects the clients, which then reconnect,
// because the server has dropped the requests of their consumers. It reports whether JetStream runs again.
func (n *NATS) restartJetStream() bool {
	if err := n.server.ShutdownJetStream(); err != nil {
		n.log.log.Error().Err(err).Msg("cannot stop JetStream after a full disk")
		return false
	}
	config := n.jetStream
	if err := n.server.EnableJetStream(&config); err != nil {
		n.log.log.Error().Err(err).Msg("cannot start JetStream after a full disk")
		return false
	}
	n.log.log.Info().Msg("disk space is available; restarted JetStream")
	clients, err := n.server.Connz(&server.ConnzOptions{Limit: n.server.NumClients() + 1})
	if err != nil {
		n.log.log.Error().Err(err).Msg("cannot list the NATS clients")
		return true
	}
	for _, client := range clients.Conns {
		_ = n.server.DisconnectClientByID(client.Cid) // fails only if the client has disconnected
	}
	return true
}
