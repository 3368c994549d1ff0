package photos

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var paidJobs = flag.Int("paid.jobs", 10, "number of jobs in the load of paid providers; a tenth as many, but at least 10, then wait until the provider is disabled")

// noSkew lets a worker repeat a call soon after its time limit, because all processes of a test share one clock.
const noSkew = "ASSAY_PHOTOJOB_CLOCK_SKEW=0s"

// soonSwept returns an environment in which sweeps soon remove the objects of a killed worker.
func soonSwept() []string {
	return []string{"ASSAY_SWEEP_EVERY=2s", "ASSAY_UPLOAD_EXPIRES=10s", "ASSAY_RESERVATION_EXPIRES=15s"}
}

// maxPaidCalls is the default of ASSAY_PHOTOJOB_PAID_CALLS.
const maxPaidCalls = 2

// jobsPerPause is the number of jobs per 429 without Retry-After, after which the provider is held for 30 s.
const jobsPerPause = 250

// callsPerFault is the number of calls per fault. latency is the delay of a fault, which is not shorter than the delay
// of responses, because the circuit breaker would otherwise count consecutive failures.
const (
	callsPerFault = 4
	latency       = 300 * time.Millisecond
)

// faults returns a function that returns the provider's response to each call: faults of all kinds, in an order chosen
// by the seed, or nil for no fault.
func faults(seed uint64, jobs int) func(call int) providertest.Reply {
	random := rand.New(rand.NewPCG(seed, 18))
	all := []providertest.Reply{
		geminitest.TooMany(geminitest.RetryInfo("1s")), providertest.TooMany("1", ""), providertest.HTML,
		providertest.Status(http.StatusInternalServerError, "application/json", geminitest.Error(500, "INTERNAL", "oops")),
		providertest.Silent, providertest.Stalled, providertest.Reset, providertest.ResetFirst, providertest.Truncated,
		providertest.Answer([]byte("<html>")), providertest.Answer(geminitest.Candidate("NO_IMAGE")),
		providertest.Answer(geminitest.Picture([]byte("GIF89a"), "image/png")),
	}
	pauses := jobs / jobsPerPause
	var deck []providertest.Reply
	return func(call int) providertest.Reply {
		if pauses > 0 && call%jobsPerPause == 1 {
			pauses--
			return geminitest.TooMany()
		}
		if call%callsPerFault != 0 {
			return nil
		}
		if len(deck) == 0 {
			deck = slices.Clone(all)
			random.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		}
		fault := deck[0]
		deck = deck[1:]
		return providertest.Late(latency, fault)
	}
}

// paidLoad contains the jobs of a load.
type paidLoad struct {
	paid
	client            *client.Client
	jobs              []string
	canceled, deleted map[string]bool
}

// upload creates jobs with different photos for a provider and returns their ids.
func (l *paidLoad) upload(ctx context.Context, t *testing.T, provider string, n int) (ids []string) {
	t.Helper()
	ids = make([]string, n)
	queue := make(chan int, n)
	for i := range n {
		queue <- i
	}
	close(queue)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for i := range queue {
				source := system.PhotoSource(fmt.Sprint(i, ".jpg"), fmt.Sprint("sepia, boat ", i), system.DrawPhoto(t, uint32(i)))
				source.Key = uuid.Must(uuid.NewV7()).String()
				job, err := l.client.UploadPhoto(ctx, source, client.PhotoOptions{Provider: provider})
				if ids[i] = job.JobID; err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return ids
}

var errTooEarly = errors.New("the provider has been called too few times")

// withdraw cancels a tenth of the jobs and deletes a tenth, while they are processed and the server is killed.
func (l *paidLoad) withdraw(ctx context.Context, t *testing.T, random *rand.Rand) {
	for i, id := range l.jobs {
		var withdraw func(context.Context, string) error
		var done map[string]bool
		switch random.IntN(10) {
		case 0:
			done, withdraw = l.canceled, func(ctx context.Context, id string) error {
				_, err := l.client.CancelPhoto(ctx, id)
				return err
			}
		case 1:
			done, withdraw = l.deleted, l.client.DeletePhoto
		default:
			continue
		}
		for {
			var err error
			if l.gemini.Calls() < i { // the job probably still waits
				err = errTooEarly
			} else if err = withdraw(ctx, id); err == nil {
				done[id] = true
			}
			if _, refused := errors.AsType[*client.Problem](err); err == nil || refused { // withdrawn, or rejected because the job has ended
				break
			}
			select {
			case <-ctx.Done():
				t.Errorf("withdraw %s: %v", id, err)
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
}

// check checks the ledger and the outcome of a job that has ended, and returns the number of calls to gemini that may be
// billed.
func (l *paidLoad) check(t *testing.T, id string) (booked int) {
	t.Helper()
	calls := l.calls(t, id)
	perStep := map[string]int{}
	for _, call := range calls {
		n := recorded([]photoCall{call}, call.Provider)
		perStep[call.Step] += n
		if call.Provider == "gemini" {
			booked += n
		}
	}
	for step, n := range perStep {
		if n > maxPaidCalls {
			t.Errorf("%d calls of the step %s of %s may be billed, want at most %d: %v", n, step, id, maxPaidCalls, calls)
		}
	}
	if ids := l.PhotoOutcomes(t, id); len(ids) != 1 {
		t.Errorf("outcomes of %s: %v, want one", id, ids)
	}
	return booked
}

// TestPaidLoad: with all kinds of responses of a provider, and while the server is killed and jobs are canceled and
// deleted, every job has one outcome, no step is billed more than ASSAY_PHOTOJOB_PAID_CALLS times, and every bill is in
// the ledger. No object of a withdrawn job remains. Jobs that wait for a held provider do not delay jobs of other
// providers, and are processed by the fallback when an operator disables the provider.
func TestPaidLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("make paid runs it")
	}
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute+time.Duration(*paidJobs)*1500*time.Millisecond)
	defer cancel()
	random := rand.New(rand.NewPCG(system.LoadSeed(), 1))
	l := &paidLoad{paid: startPaid(t, append(soonSwept(), system.ShortLease, noSkew)...), canceled: map[string]bool{}, deleted: map[string]bool{}}
	held := system.Settings{"editTime": "3s", "analyzeTime": "3s", "perMinute": 100_000, "perDay": 1_000_000, "concurrent": 1000, "dailyBudgetMicros": 0}
	l.set(t, "gemini", held)
	l.client = l.Client(t, system.NewOwner())
	l.jobs = l.upload(ctx, t, "gemini", *paidJobs)
	l.gemini.Choose(faults(system.LoadSeed(), *paidJobs))
	l.set(t, "gemini", system.Settings{"dailyBudgetMicros": 1_000_000_000})
	var withdrawing sync.WaitGroup
	withdrawing.Go(func() { l.withdraw(ctx, t, random) })
	kills := max(2, *paidJobs/100)
	for kill := range kills {
		for l.gemini.Calls() < (kill+1)**paidJobs*2/(kills+2) {
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
				t.Fatalf("%d calls before kill %d, want %d", l.gemini.Calls(), kill, (kill+1)**paidJobs*2/(kills+2))
			}
		}
		l.Program.Kill(t)
		l.Restart(t)
	}
	withdrawing.Wait()
	states, booked := map[string]int{}, 0
	for _, id := range l.jobs {
		if l.deleted[id] {
			continue
		}
		job, err := l.client.WaitPhoto(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if states[job.Status]++; job.Status == client.Failed && (job.Error == nil || job.Error.Code == "INTERNAL") {
			t.Errorf("the job is %s, want an error with a code other than INTERNAL", system.JSON(job))
		}
		booked += l.check(t, id)
	}
	l.checkBills(t)
	l.checkObjects(ctx, t)
	t.Logf("%d kills, %d canceled, %d deleted, %v; %d calls, %d billed, %d recorded in %d jobs", kills, len(l.canceled), len(l.deleted),
		states, l.gemini.Calls(), l.gemini.Billed(), booked, len(l.jobs)-len(l.deleted))
	l.switchProvider(ctx, t)
}

// checkBills compares the bills of a provider with the ledger.
func (l *paidLoad) checkBills(t *testing.T) {
	t.Helper()
	price := map[string]int64{geminitest.AnalyzeModel: 40_000, geminitest.EditModel: 101_000}
	type step struct {
		model string
		photo [sha256.Size]byte
	}
	bills, cost := map[step]int{}, int64(0)
	for _, bill := range l.gemini.Bills() {
		var sent struct {
			Contents []struct {
				Parts []struct {
					InlineData struct{ Data []byte }
				}
			}
		}
		if err := json.Unmarshal(bill.Request, &sent); err != nil {
			t.Fatal(err)
		}
		bills[step{bill.Model, sha256.Sum256(sent.Contents[0].Parts[1].InlineData.Data)}]++
		cost += price[bill.Model]
	}
	for of, n := range bills {
		if n > maxPaidCalls {
			t.Errorf("%s is billed %d times for one photo, want at most %d", of.model, n, maxPaidCalls)
		}
	}
	if len(bills) < *paidJobs {
		t.Errorf("%d steps are billed for %d jobs, want at least one each", len(bills), *paidJobs)
	}
	if got := l.provider(t, "gemini").State; got.CostTodayMicros < cost || got.CallsToday < l.gemini.Billed() {
		t.Errorf("the ledger contains %+v, want at least the %d billed calls at %d", got, l.gemini.Billed(), cost)
	}
}

// checkObjects checks that no edit of a canceled job and no object of a deleted job remains once their workers, or the
// sweep after a kill, are done. A canceled job keeps its upload for a retry.
func (l *paidLoad) checkObjects(ctx context.Context, t *testing.T) {
	t.Helper()
	for {
		var wrong []string
		for _, bucket := range []string{system.PhotoTemp, system.PhotoFinal} {
			at := l.System
			at.Bucket = bucket
			for _, key := range at.Keys(t) {
				if id := strings.Split(key, "/")[2]; l.deleted[id] || l.canceled[id] && bucket == system.PhotoFinal {
					wrong = append(wrong, bucket+"/"+key)
				}
			}
		}
		if len(wrong) == 0 {
			return
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			t.Errorf("the objects %v of withdrawn jobs remain, want none", wrong)
			return
		}
	}
}

// switchProvider disables a provider while jobs wait for it.
func (l *paidLoad) switchProvider(ctx context.Context, t *testing.T) {
	t.Helper()
	l.gemini.Choose(func(int) providertest.Reply { return geminitest.TooMany(geminitest.RetryInfo("600s")) })
	l.set(t, "gemini", system.Settings{"fallback": []string{"seedream"}})
	l.set(t, "seedream", system.Settings{"perMinute": 100_000, "dailyBudgetMicros": 1_000_000_000})
	billed := l.gemini.Billed()
	waiting := l.upload(ctx, t, "gemini", max(10, *paidJobs/10))
	for _, provider := range []string{"seedream", "stub"} {
		began := time.Now()
		system.AwaitPhoto(t, l.client, l.upload(ctx, t, provider, 1)[0], client.Completed)
		t.Logf("a job of %s takes %s while %d jobs wait for gemini", provider, time.Since(began).Round(time.Millisecond), len(waiting))
	}
	for _, id := range waiting {
		if job, err := l.client.GetPhoto(ctx, id, 0); err != nil || job.Status == client.Completed || job.Status == client.Failed {
			t.Errorf("while gemini is held, the job is %s, %v; want it waiting", system.JSON(job), err)
		}
	}
	l.set(t, "gemini", system.Settings{"enabled": false})
	for _, id := range waiting {
		job, err := l.client.WaitPhoto(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if job.Status != client.Completed || job.Provider != "seedream" || job.Options.Provider != "gemini" {
			t.Errorf("after gemini was disabled, the job is %s, want an edit by seedream", system.JSON(job))
		}
		l.check(t, id)
	}
	if n := l.gemini.Billed() - billed; n != 0 || l.seedream.Billed() != len(waiting)+1 {
		t.Errorf("%d calls of gemini and %d of seedream are billed, want 0 and %d", n, l.seedream.Billed(), len(waiting)+1)
	}
}
