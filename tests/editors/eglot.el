;;; eglot.el --- what tests/editors/run has Emacs do, in its folder  -*- lexical-binding: t -*-

(package-initialize)
(require 'cl-lib)
(require 'json)
(load (expand-file-name "config.el") nil t t)

(defun say (format &rest values) (message "%s" (apply #'format format values)))

(defun rule-in (text)
  "The rule that a finding names, or all of its text."
  (if (string-match "\\[?\\([a-z]+[0-9]?\\.[a-z-]+\\)\\]?" text)
      (match-string 1 text)
    text))

(defun findings ()
  "Diagnostics as \"line:column rule\", those on the screen."
  (mapconcat #'identity
             (sort (mapcar (lambda (d)
                             (save-excursion
                               (goto-char (flymake-diagnostic-beg d))
                               (format "%d:%d %s" (line-number-at-pos)
                                       (1+ (- (point) (line-beginning-position)))
                                       (rule-in (flymake-diagnostic-text d)))))
                           (flymake-diagnostics))
                   #'string<)
             ", "))

(defun validated ()
  "What validate says of the buffer's text, in the same form."
  (let* ((text (buffer-string))
         (result (with-temp-buffer
                   (insert text)
                   (let ((coding-system-for-read 'utf-8) (coding-system-for-write 'utf-8))
                     (call-process-region nil nil "dmlop" t t nil "validate" "--format" "json" "-"))
                   (goto-char (point-min))
                   (let ((json-array-type 'list)) (json-read)))))
    (mapconcat #'identity
               (sort (mapcar (lambda (f)
                               (format "%d:%d %s" (alist-get 'line f) (alist-get 'column f)
                                       (alist-get 'rule f)))
                             (alist-get 'findings (car (alist-get 'files result))))
                     #'string<)
               ", ")))

(defun wait-for (&optional what)
  (let ((want (or what (validated))) (end (+ (float-time) 20)))
    (while (and (not (equal (findings) want)) (< (float-time) end))
      (accept-process-output nil 0.05)
      (flymake-start))
    (unless (equal (findings) want)
      (error "Diagnostics: %s\nvalidate:    %s" (findings) want))
    (say "%s" (if (equal want "") "no findings" want))))

(defun type-over (search new)
  "Replaces what is found by new text, as a user would."
  (goto-char (point-min))
  (re-search-forward search)
  (replace-match new t t)
  (eglot--signal-textDocument/didChange))

(defun act (kind beg end)
  "Applies the first code action of a kind that the server offers for a region."
  (let* ((actions (eglot-code-actions beg end kind))
         (action (cl-find-if (lambda (a) (string-prefix-p kind (plist-get a :kind)))
                             (append actions nil))))
    (unless action (error "No action %s" kind))
    (say "chosen: %s" (plist-get action :title))
    (eglot--apply-workspace-edit (plist-get action :edit))
    (eglot--signal-textDocument/didChange)))

(defun main ()
  (find-file "broken.desc.json")
  (unless (eglot-current-server)
    (apply #'eglot--connect (eglot--guess-contact)))
  (say "%s in %s" (eglot--major-modes (eglot-current-server)) major-mode)
  (when (equal (validated) "") (error "Nothing is wrong"))
  (wait-for)
  ;; After characters that are one, and two, of UTF-16.
  (goto-char (point-min))
  (search-forward "\"type\"")
  (act "quickfix" (line-beginning-position) (line-end-position))
  (goto-char (point-min))
  (search-forward "\"DML_OPERATOR_TOP_K1\"")
  (wait-for)
  ;; Typing: a mistake more, and mended again.
  (type-over "\"K\": 2" "/* \u00e9\U0001f600 */ \"K\": 0")
  (wait-for)
  (type-over "/\\* .* \\*/ \"K\": 0" "\"K\": 2")
  (wait-for)
  (goto-char (point-min))
  (search-forward "\"K")
  (let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover
                                (eglot--TextDocumentPositionParams))))
    (unless (plist-get hover :contents) (error "No hover")))
  (act "source.fixAll" (point-min) (point-max))
  (wait-for "")
  (save-buffer)
  (say "all is well"))

(condition-case why
    (main)
  (error (message "%s" (error-message-string why))
         (let ((server (eglot-current-server)))
           (when server
             (with-current-buffer (jsonrpc-events-buffer server)
               (message "%s" (buffer-substring (max (point-min) (- (point-max) 3000))
                                               (point-max))))))
         (kill-emacs 1)))
(kill-emacs 0)
;;; eglot.el ends here
