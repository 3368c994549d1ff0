// Command dynamolite serves the embedded DynamoDB engine over HTTP until it is
// interrupted.
//
//	dynamolite -addr 127.0.0.1:8000 -path data.db
//
// With -credentials, requests must be signed with a key of that file, in the format of AWS's shared
// credentials file. By default signatures are not verified.
//
// With -policies, each access key has the permissions of the policy file with
// its name in the given directory.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/dynamolite/iam"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8000", "address to listen on; port 0 picks a free port")
	path := flag.String("path", "", "bbolt file; empty: a temporary file, removed on exit")
	relaxed := flag.Bool("sync-never", false, "acknowledge writes before they are on disk")
	policies := flag.String("policies", "", "directory of IAM policies, with one file KEY.json, or one directory KEY of such files, for each access key; empty: every key has all permissions")
	credentials := flag.String("credentials", "", "AWS credentials file with the keys that may sign requests; empty: every request is accepted")
	root := flag.String("root", "", "with -policies: the access key that has all permissions")
	hosts := flag.String("hosts", "", "comma-separated host names that requests may use, in addition to those of loopback")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	opts := dynamolite.Options{Path: *path, HostsSetting: "-hosts", OnError: func(err error) { log.Print(err) }}
	if *hosts != "" {
		opts.Hosts = strings.Split(*hosts, ",")
	}
	if *relaxed {
		opts.Sync = dynamolite.SyncNever
	}
	if *credentials != "" {
		var err error
		if opts.Keys, err = readKeys(*credentials); err != nil {
			log.Fatal(err)
		}
	}
	if *policies != "" {
		known, err := iam.Read(*policies)
		if err != nil {
			log.Fatal(err)
		}
		opts.Allow = func(a dynamolite.Access) bool {
			return *root != "" && a.Key == *root || len(known[a.Key].Uses(a)) > 0
		}
	}
	if err := serve(ctx, *addr, opts); err != nil {
		log.Fatal(err)
	}
}

// serve prints its address and then handles requests until ctx is done.
func serve(ctx context.Context, addr string, opts dynamolite.Options) (err error) {
	engine, err := dynamolite.Open(opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	server := &http.Server{
		Handler: engine, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ReadTimeout: time.Minute, WriteTimeout: 2 * time.Minute, // for requests and responses of up to 16 MB
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		stopped <- server.Shutdown(grace)
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
