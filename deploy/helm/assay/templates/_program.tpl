{{- /* assay.program is the Pod template of a program that runs until it is stopped: (dict "root" $ "program" "ingest"). */}}
{{- define "assay.program" -}}
{{- $root := .root -}}
{{- $values := index $root.Values .program -}}
{{- $it := index (include "assay.programs" $root | fromYaml) .program -}}
metadata:
  labels:
    {{- include "assay.labels" . | nindent 4 }}
  {{- with $values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- include "assay.podSpec" . | nindent 2 }}
  # preStopSeconds, drainSeconds, and time to close connections and engines.
  terminationGracePeriodSeconds: {{ add $root.Values.preStopSeconds $root.Values.drainSeconds 15 }}
  {{- if ne .program "serve" }}
  topologySpreadConstraints:
    {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - topologyKey: {{ . }}
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      matchLabelKeys: [pod-template-hash]
      labelSelector:
        matchLabels:
          {{- include "assay.selector" $ | nindent 10 }}
    {{- end }}
  {{- end }}
  containers:
    - name: {{ .program }}
      image: {{ include "assay.image" (merge (dict "image" $it.image) .) }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      {{- with get $it "args" }}
      args: {{ toJson . }}
      {{- end }}
      env:
        {{- include "assay.env" . | trim | nindent 8 }}
      ports:
        - {name: http, containerPort: {{ $it.http }}}
        - {name: operator, containerPort: {{ $it.operator }}}
        {{- if eq .program "serve" }}
        - {name: s3, containerPort: 9000}
        {{- end }}
      # /healthz responds as long as the process serves, also while a backend is unavailable: that needs no restart.
      startupProbe:
        httpGet: {path: /healthz, port: http}
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: {{ div $root.Values.startupSeconds 2 }}
      livenessProbe:
        httpGet: {path: /healthz, port: http}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # A check of a backend takes up to 2 s.
      readinessProbe:
        httpGet: {path: /readyz, port: http}
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 3
      lifecycle:
        preStop: {sleep: {seconds: {{ $root.Values.preStopSeconds }}}}
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      securityContext:
        {{- include "assay.containerSecurity" . | nindent 8 }}
      volumeMounts:
        - {name: tmp, mountPath: /tmp}
        {{- if get $values "cacheSize" }}
        - {name: cache, mountPath: /cache}
        {{- end }}
        {{- if eq .program "serve" }}
        - {name: data, mountPath: /data}
        {{- end }}
        {{- include "assay.credentialsMount" . | nindent 8 }}
  volumes:
    - {name: tmp, emptyDir: {sizeLimit: {{ $values.tmpSize }}}}
    {{- with get $values "cacheSize" }}
    - {name: cache, emptyDir: {sizeLimit: {{ . }}}}
    {{- end }}
    {{- if and (eq .program "serve") $values.persistence.existingClaim }}
    - {name: data, persistentVolumeClaim: {claimName: {{ $values.persistence.existingClaim }}}}
    {{- end }}
    {{- include "assay.credentialsVolume" . | nindent 4 }}
{{- end }}

{{- /* The file with NATS credentials of a program, if there is one. */}}
{{- define "assay.credentialsMount" -}}
{{- if and .root.Values.externalNats.credentialsSecret (not (has .program (list "gateway" "serve"))) -}}
- {name: nats, mountPath: /etc/nats, readOnly: true}
{{- end }}
{{- end }}
{{- define "assay.credentialsVolume" -}}
{{- if and .root.Values.externalNats.credentialsSecret (not (has .program (list "gateway" "serve"))) -}}
- name: nats
  secret:
    secretName: {{ .root.Values.externalNats.credentialsSecret }}
    items: [{key: {{ .program }}.creds, path: {{ .program }}.creds}]
{{- end }}
{{- end }}
