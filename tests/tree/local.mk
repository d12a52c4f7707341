shell_tests += \
	%D%/completion.sh \
	%D%/documents.sh \
	%D%/library.sh \
	%D%/manual.sh \
	%D%/peers.sh \
	%D%/tree.sh

long_tests += \
	%D%/readme.sh
