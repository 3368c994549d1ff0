package system

import (
	"errors"
	"net"
	"os"
	"strconv"

	"github.com/nats-io/nats-server/v2/server"
)

// natsConfiguration is the environment variable with the path of deploy/nats/nats.conf for the role "guarded-nats".
const natsConfiguration = "E2E_NATS_CONFIGURATION"

// serveGuardedNATS serves NATS with the permissions of deploy/nats/nats.conf.
func serveGuardedNATS(dir, addr string, serve func(url string)) error {
	options, err := server.ProcessConfigFile(os.Getenv(natsConfiguration))
	if err != nil {
		return err
	}
	options.StoreDir, options.HTTPPort, options.NoSigs = dir, 0, true
	options.Host, options.Port = "127.0.0.1", server.RANDOM_PORT
	if _, port, err := net.SplitHostPort(addr); err == nil {
		if options.Port, err = strconv.Atoi(port); err != nil {
			return err
		}
	}
	engine, err := server.NewServer(options)
	if err != nil {
		return err
	}
	engine.Start()
	if !engine.ReadyForConnections(StartWait) {
		return errors.New("the NATS server is not ready for connections")
	}
	serve(engine.ClientURL())
	engine.Shutdown()
	engine.WaitForShutdown()
	return nil
}
