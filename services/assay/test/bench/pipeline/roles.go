package pipeline

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/endpoints"
	"github.com/assay-project/assay/services/assay/serve"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/assay/test/bench/paired"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
)

// roleVariable is the environment variable that makes the benchmark's binary run as one of the measured programs.
const roleVariable = "BENCH_ROLE"

// The roles.
const (
	roleAssay    = "assay" // `assay serve`
	roleFloor    = "floor"
	roleCalls    = "floor-with-calls" // see floor
	roleEngines  = "engines"
	roleStreams  = "streams" // the NATS engine, with the sync interval of NATS
	roleIngest   = "ingest"
	roleAnalyzer = "analyzer"
	roleQuery    = "query"
)

// services lists the roles of the separate services.
var services = []string{roleIngest, roleAnalyzer, roleQuery}

// assayEnds is the subject filter of the outcomes of COMPLETED files.
const assayEnds = "assay.analysis.completed.textfile.*"

// Credentials of the engines that the benchmark starts.
const accessKey, secretKey = "bench", "bench-secret"

// Play runs one of the measured programs until its standard input ends, if the environment
// names a role. It returns the exit status, and whether there was a role.
func Play() (status int, played bool) {
	role := os.Getenv(roleVariable)
	if role == "" {
		return 0, false
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		defer stop()
		obey(os.Stdin)
	}()
	run := map[string]func(context.Context) error{
		roleAssay: playAssay, roleEngines: playEngines, roleStreams: playStreams,
		roleFloor:    func(ctx context.Context) error { return playFloor(ctx, false) },
		roleCalls:    func(ctx context.Context) error { return playFloor(ctx, true) },
		roleIngest:   func(ctx context.Context) error { return playService(ctx, ingest.Run) },
		roleAnalyzer: func(ctx context.Context) error { return playService(ctx, analyzer.Run) },
		roleQuery:    func(ctx context.Context) error { return playService(ctx, query.Run) },
	}[role]
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, role, err)
		return 1, true
	}
	return 0, true
}

// say prints a value to the measuring process, as a line of JSON.
func say(v any) {
	line, err := json.Marshal(v)
	if err != nil {
		line = []byte(err.Error())
	}
	fmt.Printf("%s\n", line)
}

// obey executes the commands of the measuring process and prints the usage after each, except profile.
func obey(in io.Reader) {
	var profile *os.File
	for lines := bufio.NewScanner(in); lines.Scan(); {
		what, path, _ := strings.Cut(lines.Text(), " ")
		switch what {
		case "profile":
			var err error
			if profile, err = os.Create(path); err == nil {
				err = pprof.StartCPUProfile(profile)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
			continue
		case "done":
			pprof.StopCPUProfile()
			if err := profile.Close(); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
		say(used())
	}
}

func used() usage {
	seconds, unknown := paired.OwnCPU()
	peak, err := paired.OwnPeak()
	if err := errors.Join(unknown, err); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return usage{CPU: time.Duration(seconds * float64(time.Second)), Peak: int64(peak)}
}

func playAssay(ctx context.Context) error {
	cfg, err := config.Load[serve.Config](os.Environ())
	if err != nil {
		return err
	}
	started, notified := io.Pipe()
	go func() {
		for lines := bufio.NewScanner(started); lines.Scan(); {
			if !strings.Contains(lines.Text(), "Ctrl-C") { // the last line printed at startup, which signals readiness
				continue
			}
			at, err := endpoints.Read(cfg.DataDir)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return
			}
			say(ready{HTTP: at.HTTP, NATS: at.NATS, Ends: assayEnds})
		}
	}()
	return serve.Run(ctx, cfg, notified)
}

// playEngines runs only the engines, with their tables, bucket and streams.
func playEngines(ctx context.Context) error {
	defer serve.Runtime().Apply(zerolog.Nop())() // as in `assay serve`
	e, err := startEngines(ctx)
	if err != nil {
		return err
	}
	cfg, err := config.Load[setup.Config](e.at.environ())
	if err == nil {
		err = setup.Run(ctx, cfg)
	}
	if err == nil {
		say(e.at)
		<-ctx.Done()
	}
	return errors.Join(err, e.close())
}

// playStreams runs only the NATS engine. It does not sync each message, as a server with replicas.
func playStreams(ctx context.Context) error {
	defer serve.Runtime().Apply(zerolog.Nop())()
	e, err := embedded.StartNATS(embedded.NATSConfig{Dir: filepath.Join(os.Getenv("ASSAY_DATA_DIR"), "nats"), User: accessKey, Password: secretKey, Sync: "2m"})
	if err != nil {
		return err
	}
	defer e.Close()
	say(ready{NATS: e.URL()})
	<-ctx.Done()
	return nil
}

// playService runs a service on a free port, with the settings in its environment.
func playService[C any](ctx context.Context, run func(context.Context, C) error) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	addr := listener.Addr().String()
	listener.Close()
	cfg, err := config.Load[C](append(os.Environ(), "ASSAY_ADDR="+addr))
	if err != nil {
		return err
	}
	go func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		client := &http.Client{Timeout: time.Second}
		for range tick.C {
			resp, err := client.Get("http://" + addr + "/readyz")
			if err != nil {
				continue
			}
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				say(ready{HTTP: "http://" + addr})
				return
			}
		}
	}()
	return run(ctx, cfg)
}

// environReady returns the addresses of the engines in the environment, if any.
func environReady() ready {
	return ready{NATS: os.Getenv("ASSAY_NATS_URL"), S3: os.Getenv("ASSAY_S3_ENDPOINT"), DynamoDB: os.Getenv("ASSAY_DYNAMODB_ENDPOINT")}
}

// engines contains the engines that run in this process, with data in ASSAY_DATA_DIR.
type engines struct {
	nats   *embedded.NATS
	tables *embedded.DynamoDB
	bucket *embedded.S3
	at     ready
}

func startEngines(ctx context.Context) (e *engines, err error) {
	dir := os.Getenv("ASSAY_DATA_DIR")
	e = &engines{}
	if e.nats, err = embedded.StartNATS(embedded.NATSConfig{Dir: filepath.Join(dir, "nats"), User: accessKey, Password: secretKey}); err != nil {
		return nil, err
	}
	if e.tables, err = embedded.StartDynamoDB(embedded.DynamoDBConfig{Path: filepath.Join(dir, "dynamodb.db"), AccessKey: accessKey, SecretKey: secretKey}); err != nil {
		return nil, err
	}
	if e.bucket, err = embedded.StartS3(ctx, embedded.S3Config{Dir: filepath.Join(dir, "s3"), AccessKey: accessKey, SecretKey: secretKey}); err != nil {
		return nil, err
	}
	e.at = ready{NATS: e.nats.URL(), DynamoDB: e.tables.URL(), S3: e.bucket.URL()}
	return e, nil
}

func (e *engines) close() error {
	defer e.nats.Close()
	return errors.Join(e.bucket.Close(), e.tables.Close())
}
