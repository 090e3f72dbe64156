{{- define "databridge.labels" -}}
app.kubernetes.io/name: databridge
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "databridge.meta" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* What each pod has: who it runs as, where it may go, which directories it sees. */ -}}
{{- define "databridge.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
# SIGTERM drains, and closing takes 11 s.
terminationGracePeriodSeconds: {{ add .Values.drainSeconds 20 }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
volumes:
  # Nothing in them has to stay, because database and key come from outside.
  - name: home
    emptyDir: {}
  - name: tmp
    emptyDir: {}
  {{- range $directory, $secret := .Values.secrets }}
  - name: secret-{{ $directory }}
    secret: { secretName: {{ $secret | quote }}, defaultMode: 288 }
  {{- end }}
  {{- range $directory, $configMap := .Values.configMaps }}
  - name: config-{{ $directory }}
    configMap: { name: {{ $configMap | quote }} }
  {{- end }}
  {{- with .Values.archive.claim }}
  - name: archive
    persistentVolumeClaim: { claimName: {{ . | quote }} }
  {{- end }}
{{- end }}

{{- define "databridge.container" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- define "databridge.mounts" -}}
- { name: home, mountPath: /var/lib/databridge }
- { name: tmp, mountPath: /tmp }
{{- range $directory, $secret := .Values.secrets }}
- { name: secret-{{ $directory }}, mountPath: /run/secrets/databridge/{{ $directory }}, readOnly: true }
{{- end }}
{{- range $directory, $configMap := .Values.configMaps }}
- { name: config-{{ $directory }}, mountPath: /etc/databridge/{{ $directory }}, readOnly: true }
{{- end }}
{{- if .Values.archive.claim }}
- { name: archive, mountPath: /srv/readings }
{{- end }}
{{- end }}

{{- define "databridge.env" -}}
- name: DATABASE_URL
  value: {{ required "database.url names the PostgreSQL" .Values.database.url | quote }}
{{- with .Values.redis.url }}
- name: REDIS_URL
  value: {{ . | quote }}
{{- end }}
- name: DATABRIDGE_KEY
  value: {{ required "key seals secrets at rest" .Values.key | quote }}
- name: DATABRIDGE_DRAIN_SECONDS
  value: {{ .Values.drainSeconds | quote }}
{{- if .Values.archive.claim }}
- name: DATABRIDGE_ARCHIVE
  value: /srv/readings
- name: DATABRIDGE_ARCHIVE_AFTER
  value: {{ .Values.archive.afterDays | quote }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- /* The operator API of a pod that serves it. */ -}}
{{- define "databridge.operatorEnv" -}}
- name: DATABRIDGE_OPERATOR_HOST
  value: 0.0.0.0
{{- if .Values.operator.tlsSecret }}
- name: DATABRIDGE_OPERATOR_TLS_CERT
  value: /run/secrets/databridge-operator-tls/tls.crt
- name: DATABRIDGE_OPERATOR_TLS_KEY
  value: /run/secrets/databridge-operator-tls/tls.key
{{- else }}
- name: DATABRIDGE_OPERATOR_ALLOW_PLAIN
  value: 'true'
- name: DATABRIDGE_OPERATOR_TRUST_PROXY
  value: {{ required "operator.tlsSecret, or operator.trustProxy: the addresses of the proxy that speaks TLS" .Values.operator.trustProxy | quote }}
{{- end }}
{{- with .Values.operator.url }}
- name: DATABRIDGE_OPERATOR_URL
  value: {{ . | quote }}
{{- end }}
{{- end }}

{{- define "databridge.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
{{- end }}
