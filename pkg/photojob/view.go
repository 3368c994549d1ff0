package photojob

import "time"

// JobView is a job as the HTTP API shows it.
type JobView struct {
	JobID                 string          `json:"jobId" doc:"a ULID"`
	UserID                string          `json:"userId" doc:"the owner"`
	Status                string          `json:"status" enum:"QUEUED,PROCESSING,EDITING,COMPLETED,FAILED"`
	CreatedAt             time.Time       `json:"createdAt"`
	UpdatedAt             time.Time       `json:"updatedAt" doc:"when the status last changed"`
	FileSize              int64           `json:"fileSize" doc:"bytes"`
	FileType              string          `json:"fileType" example:"image/jpeg"`
	OriginalFileName      string          `json:"originalFileName,omitempty"`
	Prompt                string          `json:"prompt,omitempty"`
	Options               Options         `json:"options"`
	Provider              string          `json:"provider" doc:"the requested provider; after the edit, the one that made it"`
	ProcessingStartedAt   *time.Time      `json:"processingStartedAt,omitempty"`
	ProcessingCompletedAt *time.Time      `json:"processingCompletedAt,omitempty"`
	AnalysisResult        *AnalysisResult `json:"analysisResult,omitempty"`
	EditResult            *EditResult     `json:"editResult,omitempty" doc:"only when COMPLETED"`
	Error                 *JobError       `json:"error,omitempty" doc:"why the job FAILED or, before that, why the last attempt failed"`
	Degraded              string          `json:"degraded,omitempty" doc:"what was not done as requested, and why"`
	Calls                 []JobCallView   `json:"calls" nullable:"false" doc:"the calls to providers, oldest first, without refused calls"`
	BatchID               string          `json:"batchId,omitempty"`
	ExpiresAt             time.Time       `json:"expiresAt" doc:"when the job and its photos are removed"`
}

// JobCallView is a call to a provider as the HTTP API shows it to the owner of the job: without costs and request ids.
type JobCallView struct {
	Step     string    `json:"step" enum:"analyze,edit"`
	Provider string    `json:"provider" example:"local"`
	Model    string    `json:"model,omitempty"`
	At       time.Time `json:"at" doc:"when the call was recorded, before it was made"`
	Outcome  string    `json:"outcome" enum:"sent,ok,error,unknown"`
}

// View returns the job for the HTTP API, without costs, stack traces and object keys.
func (j Job) View() JobView {
	return JobView{
		JobID: j.JobID, UserID: j.UserID, Status: string(j.Status), CreatedAt: j.Created(), UpdatedAt: j.Updated(),
		FileSize: j.FileSize, FileType: j.FileType, OriginalFileName: j.OriginalFileName, Prompt: j.Prompt, Options: j.Options.shown(),
		Provider: ShownProvider(j.Provider), ProcessingStartedAt: timeOf(j.ProcessingStartedAt), ProcessingCompletedAt: timeOf(j.ProcessingCompletedAt),
		AnalysisResult: j.AnalysisResult, EditResult: j.EditResult, Error: j.Error, Degraded: j.Degraded,
		BatchID: j.BatchID, ExpiresAt: time.Unix(j.TTL, 0).UTC(), Calls: j.Calls.jobView(),
	}
}

func (l Ledger) jobView() []JobCallView {
	calls := []JobCallView{}
	for _, c := range l.sorted() {
		if (c.Step == StepAnalyze || c.Step == StepEdit) && c.Outcome != CallRefused {
			calls = append(calls, JobCallView{Step: c.Step, Provider: ShownProvider(c.Provider), Model: c.Model, At: time.UnixMilli(c.At).UTC(), Outcome: c.Outcome})
		}
	}
	return calls
}

func timeOf(ms int64) *time.Time {
	if ms == 0 {
		return nil
	}
	at := time.UnixMilli(ms).UTC()
	return &at
}

// BatchView is a batch as the HTTP API shows it.
type BatchView struct {
	BatchID    string           `json:"batchId" doc:"a ULID"`
	Status     string           `json:"status" enum:"QUEUED,PROCESSING,COMPLETED,PARTIAL,FAILED"`
	UpdatedAt  time.Time        `json:"updatedAt" doc:"when a job of the batch last changed its status"`
	Total      int              `json:"total" doc:"the number of jobs at creation"`
	Queued     int              `json:"queued"`
	Processing int              `json:"processing"`
	Editing    int              `json:"editing"`
	Completed  int              `json:"completed"`
	Failed     int              `json:"failed"`
	Deleted    int              `json:"deleted"`
	Photos     []BatchPhotoView `json:"photos"`
}

// BatchPhotoView is a job of a BatchView.
type BatchPhotoView struct {
	JobID     string `json:"jobId"`
	FileName  string `json:"fileName,omitempty"`
	Status    string `json:"status" enum:"QUEUED,PROCESSING,EDITING,COMPLETED,FAILED"`
	ErrorCode string `json:"errorCode,omitempty" doc:"only when FAILED"`
}

// View returns the batch for the HTTP API.
func (b Batch) View() BatchView {
	v := BatchView{
		BatchID: b.BatchID, Status: string(b.Status()), UpdatedAt: b.Updated(), Total: b.Size, Queued: b.Count(Queued),
		Processing: b.Count(Processing), Editing: b.Count(Editing), Completed: b.Count(Completed), Failed: b.Count(Failed),
		Deleted: b.Deleted(), Photos: []BatchPhotoView{},
	}
	for _, j := range b.Jobs {
		one := BatchPhotoView{JobID: j.JobID, FileName: j.OriginalFileName, Status: string(j.Status)}
		if j.Status == Failed && j.Error != nil {
			one.ErrorCode = j.Error.Code
		}
		v.Photos = append(v.Photos, one)
	}
	return v
}

// CallView is an entry of the ledger in the operators' API.
type CallView struct {
	N          int        `json:"n"`
	Step       string     `json:"step" enum:"analyze,edit,retry,earlier"`
	Provider   string     `json:"provider,omitempty"`
	Model      string     `json:"model,omitempty"`
	At         time.Time  `json:"at"`
	Until      *time.Time `json:"until,omitempty" doc:"when the worker stops waiting for the response"`
	Outcome    string     `json:"outcome,omitempty" enum:"sent,ok,error,unknown,refused"`
	HTTP       int        `json:"http,omitempty"`
	RequestID  string     `json:"requestId,omitempty"`
	CostMicros int64      `json:"costMicros"`
	Estimated  bool       `json:"estimated,omitempty"`
}

// View returns the call for the operators' API.
func (c Call) View() CallView {
	return CallView{
		N: c.N, Step: c.Step, Provider: ShownProvider(c.Provider), Model: c.Model, At: time.UnixMilli(c.At).UTC(), Until: timeOf(c.Until),
		Outcome: c.Outcome, HTTP: c.HTTP, RequestID: c.RequestID, CostMicros: c.CostMicros, Estimated: c.Estimated,
	}
}
