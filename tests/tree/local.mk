shell_tests += \
	%D%/completion.sh \
	%D%/documents.sh \
	%D%/library.sh \
	%D%/manual.sh \
	%D%/peers.sh \
	%D%/readme.sh \
	%D%/tree.sh
